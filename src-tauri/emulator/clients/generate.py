"""Generates the types of the clients from the stored OpenAPI documents, which the contract tests keep current.

Usage: generate.py [--check]; with --check nothing is written, and the exit status says whether the files are current.
"""

from __future__ import annotations

import json
import keyword
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parents[2] / "tests" / "fixtures"
PYTHON = HERE / "python" / "src" / "roost" / "types.py"
TYPESCRIPT = HERE / "typescript" / "gen" / "types.d.ts"
INTERFACE = HERE / "typescript" / "gen" / "interface.d.ts"
# Types are gone when a test runs in plain JavaScript; a misspelt operation has to be told there, too.
NAMES = HERE / "typescript" / "src" / "operations.js"

SAID = "Made from the OpenAPI documents by src-tauri/emulator/clients/generate.py; not written by hand."
WIDTH = 120

Schema = dict[str, Any]


def capital(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in re.split("[^A-Za-z0-9]+", name))


def referred(schema: Schema) -> str:
    return str(schema["$ref"]).rsplit("/", 1)[1]


def kinds(schema: Schema) -> list[str]:
    kind = schema.get("type", [])
    return [kind] if isinstance(kind, str) else kind


def choices(schema: Schema) -> list[Schema]:
    return schema.get("anyOf") or schema.get("oneOf") or []


def literals(schema: Schema) -> list[Any]:
    """The values a schema names, when it names them all."""
    inner = [literals(choice) for choice in choices(schema)]
    if inner and all(inner):
        return [value for values in inner for value in values]
    return list(schema.get("enum", [schema["const"]] if "const" in schema else []))


def description(schema: Schema | bool) -> str:
    """True is the schema of anything."""
    return "" if isinstance(schema, bool) else " ".join(schema.get("description", "").split())


def is_plain(key: str) -> bool:
    return key.isidentifier() and not keyword.iskeyword(key)


def quoted(kind: str) -> str:
    return f"'{kind}'" if '"' in kind else f'"{kind}"'


def once(parts: list[str]) -> list[str]:
    return list(dict.fromkeys(parts))


def groups_of(operations: list[str]) -> list[str]:
    """What stands before the dot: the group of `contacts.create` is `contacts`."""
    return once([name.split(".")[0] for name in operations])


class Python:
    """Dictionaries with known keys; what stands inside one gets a name of its own."""

    def __init__(self, schemas: dict[str, Schema], operations: list[str]) -> None:
        self.schemas = schemas
        self.operations = operations
        self.named: dict[str, str] = {}
        self.out: list[str] = []

    def text(self) -> str:
        for name, schema in sorted(self.schemas.items()):
            self.define(name, schema)
        head = [f'"""{SAID}"""', "from __future__ import annotations"]
        head.append("from typing import Any, Literal, TypeAlias, TypedDict")
        listed = "".join(f"\n    {json.dumps(name)}," for name in self.operations)
        head.append(f"# The operations of the interface.\nOperation: TypeAlias = Literal[{listed}\n]")
        groups = "".join(f"\n    {json.dumps(name)}," for name in groups_of(self.operations))
        head.append(f"# The groups of operations.\nOperationGroup: TypeAlias = Literal[{groups}\n]")
        return "\n\n".join(head) + "\n\n" + "\n\n".join(self.out) + "\n"

    def define(self, name: str, schema: Schema) -> None:
        said = description(schema)
        if "properties" in schema:
            self.out.append(self.dictionary(name, schema))
        else:
            doc = "\n".join(f"# {line}" for line in textwrap.wrap(said, WIDTH - 2))
            line = f"{name}: TypeAlias = {quoted(self.type_of(schema, name))}"
            self.out.append(f"{doc}\n{line}" if doc else line)

    def dictionary(self, name: str, schema: Schema) -> str:
        required = schema.get("required", [])
        keys = {key: self.type_of(inner, name + capital(key)) for key, inner in schema["properties"].items()}
        needed = {key: kind for key, kind in keys.items() if key in required}
        optional = {key: kind for key, kind in keys.items() if key not in required}
        doc = self.docstring(schema)
        if not all(is_plain(key) for key in keys):
            if not (needed and optional):
                return self.form(name, keys, bool(needed))
            parts = [self.form(f"_{name}Needed", needed, True), self.form(f"_{name}Rest", optional, False)]
            both = f"class {name}(_{name}Needed, _{name}Rest):\n" + (doc or "    pass\n")
            return "\n\n".join([*parts, both.rstrip()])
        if needed and optional:
            base = self.body(f"class _{name}(TypedDict):", "", needed, schema)
            return base + "\n\n" + self.body(f"class {name}(_{name}, total=False):", doc, optional, schema)
        if optional:
            return self.body(f"class {name}(TypedDict, total=False):", doc, optional, schema)
        return self.body(f"class {name}(TypedDict):", doc, needed, schema)

    def form(self, name: str, keys: dict[str, str], total: bool) -> str:
        """The form in which a key need not be a name."""
        inside = "".join(f'\n        "{key}": {quoted(kind)},' for key, kind in keys.items())
        return f'{name} = TypedDict(\n    "{name}",\n    {{{inside}\n    }},\n    total={total},\n)'

    def docstring(self, schema: Schema) -> str:
        said = description(schema)
        lines = textwrap.wrap(said, WIDTH - 10)
        if len(lines) < 2:
            return f'    """{said}"""\n' if said else ""
        return '    """' + lines[0] + "".join(f"\n    {line}" for line in lines[1:]) + '\n    """\n'

    def body(self, head: str, doc: str, keys: dict[str, str], schema: Schema) -> str:
        lines = []
        for key, kind in keys.items():
            said = description(schema["properties"][key])
            lines += [f"    # {line}" for line in textwrap.wrap(said, WIDTH - 6)]
            lines.append(f"    {key}: {kind}")
        return f"{head}\n{doc}" + "\n".join(lines)

    def type_of(self, schema: Schema | bool, hint: str) -> str:
        if isinstance(schema, bool):
            return "Any"
        if "$ref" in schema:
            return referred(schema)
        if named := literals(schema):
            # JSON's own spelling of texts and numbers is Python's; that of null, true and false is not.
            texts = [json.dumps(value) if isinstance(value, str) else repr(value) for value in named]
            return f"Literal[{', '.join(texts)}]"
        if inner := choices(schema):
            return " | ".join(once([self.type_of(choice, self.hint(hint, choice)) for choice in inner]))
        parts = [self.plain(kind, schema, hint) for kind in kinds(schema)]
        return " | ".join(once(parts)) or "Any"

    def hint(self, hint: str, choice: Schema) -> str:
        keys = list(choice.get("properties", {}))
        # What is inside has the name of the variant itself.
        return f"{hint}{capital(keys[0])}Variant" if len(keys) == 1 else hint

    def plain(self, kind: str, schema: Schema, hint: str) -> str:
        if kind == "array":
            if "prefixItems" in schema:
                # JSON has no tuples.
                inner = once([self.type_of(item, hint) for item in schema["prefixItems"]])
                return f"list[{' | '.join(inner)}]"
            return f"list[{self.type_of(schema.get('items', {}), hint)}]"
        if kind == "object":
            if "properties" in schema:
                return self.hoisted(schema, hint)
            extra = schema.get("additionalProperties", True)
            return f"dict[str, {self.type_of(extra, hint) if isinstance(extra, dict) else 'Any'}]"
        return {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}[kind]

    def hoisted(self, schema: Schema, hint: str) -> str:
        """What has no name in the document; the same twice is one."""
        shape = json.dumps(schema, sort_keys=True)
        if shape not in self.named:
            name = "TextTest" if "equal_to" in schema["properties"] else hint
            assert name not in self.schemas and name not in self.named.values(), f"two types want the name {name}"
            self.named[shape] = name
            self.define(name, schema)
        return self.named[shape]


class TypeScript:
    """Interfaces; what stands inside one stays there."""

    def __init__(self, schemas: dict[str, Schema]) -> None:
        self.schemas = schemas

    def text(self) -> str:
        parts = [f"// {SAID}"]
        for name, schema in sorted(self.schemas.items()):
            doc = self.comment(schema, "")
            if "properties" in schema:
                parts.append(f"{doc}export interface {name} {self.inside(schema, '')}")
            else:
                parts.append(f"{doc}export type {name} = {self.type_of(schema, '')};")
        return "\n\n".join(parts) + "\n"

    def operations(self, names: list[str]) -> str:
        listed = "".join(f"\n  | {json.dumps(name)}" for name in names)
        groups = "".join(f"\n  | {json.dumps(name)}" for name in groups_of(names))
        return (
            f"\n/** The operations of the interface. */\nexport type Operation ={listed};\n"
            f"\n/** The groups of operations. */\nexport type OperationGroup ={groups};\n"
        )

    def routes(self, paths: dict[str, Any]) -> str:
        """What each route takes and answers, by method and by its path below /__admin."""
        out = "\n/** What the routes of the operator's side take and answer, by method and path. */\n"
        out += "export interface AdminRoutes {\n"
        for method in ("get", "post", "put", "patch", "delete"):
            out += f"  {method}: {{\n"
            for path, acts in paths.items():
                if method in acts:
                    out += self.route(path, acts[method])
            out += "  };\n"
        return out + "}\n"

    def route(self, path: str, act: dict[str, Any]) -> str:
        queries = [each["name"] for each in act.get("parameters", []) if each["in"] == "query"]
        query = "".join(f"{name}?: string | number | boolean | undefined; " for name in queries)
        body = self.content(act["requestBody"]) if "requestBody" in act else "undefined"
        success = next(told for status, told in act["responses"].items() if status.startswith("2"))
        lines = [f"query: {{ {query}}};", f"body: {body};", f"answer: {self.content(success)};"]
        inside = "".join(f"      {line}\n" for line in lines)
        return f"    /** {act['summary']} */\n    {json.dumps(path)}: {{\n{inside}    }};\n"

    def content(self, told: dict[str, Any]) -> str:
        for media, content in told.get("content", {}).items():
            return self.type_of(content["schema"], "      ") if media == "application/json" else "string"
        return "undefined"

    def comment(self, schema: Schema, pad: str) -> str:
        said = description(schema).replace("*/", "*\\/")
        if len(said) + len(pad) + 7 <= WIDTH:
            return f"{pad}/** {said} */\n" if said else ""
        lines = textwrap.wrap(said, WIDTH - len(pad) - 3)
        return f"{pad}/**\n" + "".join(f"{pad} * {line}\n" for line in lines) + f"{pad} */\n"

    def inside(self, schema: Schema, pad: str) -> str:
        inner = pad + "  "
        required = schema.get("required", [])
        lines = []
        for key, value in schema["properties"].items():
            name = key if key.isidentifier() else json.dumps(key)
            mark = "" if key in required else "?"
            lines.append(f"{self.comment(value, inner)}{inner}{name}{mark}: {self.type_of(value, inner)};\n")
        return "{\n" + "".join(lines) + pad + "}"

    def type_of(self, schema: Schema | bool, pad: str) -> str:
        if isinstance(schema, bool):
            return "unknown"
        if "$ref" in schema:
            return referred(schema)
        if named := literals(schema):
            return " | ".join(json.dumps(value) for value in named)
        if inner := choices(schema):
            return " | ".join(once([self.type_of(choice, pad) for choice in inner]))
        return " | ".join(once([self.plain(kind, schema, pad) for kind in kinds(schema)])) or "unknown"

    def plain(self, kind: str, schema: Schema, pad: str) -> str:
        if kind == "array":
            if "prefixItems" in schema:
                return "[" + ", ".join(self.type_of(item, pad) for item in schema["prefixItems"]) + "]"
            item = self.type_of(schema.get("items", {}), pad)
            return f"({item})[]" if "|" in item else f"{item}[]"
        if kind == "object":
            if "properties" in schema:
                return self.inside(schema, pad)
            extra = schema.get("additionalProperties", True)
            # Not Record<…>: a type of the document may have that name.
            return f"{{ [name: string]: {self.type_of(extra, pad) if isinstance(extra, dict) else 'unknown'} }}"
        return {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}[kind]


def names(operations: list[str]) -> str:
    listed = "".join(f"  '{name}',\n" for name in operations)
    kind = "/** @type {readonly import('../gen/types.d.ts').Operation[]} The operations of the interface. */"
    return f"// {SAID}\n\n{kind}\nexport const OPERATIONS = [\n{listed}]\n"


def document(name: str) -> dict[str, Any]:
    return dict(json.loads((FIXTURES / name).read_text()))


def main() -> int:
    admin, interface = document("openapi-admin.json"), document("openapi.json")
    schemas = admin["components"]["schemas"]
    paths = interface["paths"].values()
    operations = sorted(act["operationId"] for path in paths for act in path.values() if "operationId" in act)
    operator = TypeScript(schemas)
    made = {
        PYTHON: Python(schemas, operations).text(),
        TYPESCRIPT: operator.text() + operator.operations(operations) + operator.routes(admin["paths"]),
        INTERFACE: TypeScript(interface["components"]["schemas"]).text(),
        NAMES: names(operations),
    }
    stale = [path for path, text in made.items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.name} is not current; run python3 src-tauri/emulator/clients/generate.py")
        return 1 if stale else 0
    for path in stale:
        path.write_text(made[path])
        print(f"wrote {path.relative_to(HERE.parents[2])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
