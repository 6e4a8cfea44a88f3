// Writes the reference of the REST interface, rest.md, from its OpenAPI document. Usage: node ui/guides/rest.mjs
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const HERE = dirname(fileURLToPath(import.meta.url))
const DOCUMENT = join(HERE, '..', '..', 'tests', 'fixtures', 'openapi.json')

const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ')
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n')
const sentence = (text) => (text === '' ? '' : `${text[0].toUpperCase()}${text.slice(1)}`)
const nameOf = (schema) => schema.$ref?.split('/').at(-1)

/** Returns the type of a value with its limits: `text, 1 to 100 characters`. */
export function describeType(schema) {
  if (schema === true || schema === undefined) return 'anything'
  const name = nameOf(schema)
  if (name !== undefined) return `[${name}](#${name.toLowerCase()})`
  const parts = schema.oneOf ?? schema.anyOf
  if (parts !== undefined) return parts.map(describeType).join(' or ')
  if (schema.allOf?.length === 1) return describeType(schema.allOf[0])
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum !== undefined) return schema.enum.map((one) => `\`${JSON.stringify(one)}\``).join(' or ')
  const types = [schema.type ?? 'anything'].flat()
  const texts = types.map((type) => describeOne(type, schema))
  return texts.join(' or ')
}

function describeOne(type, schema) {
  const limits = (least, most, unit) => {
    if (least === undefined && most === undefined) return ''
    if (most === undefined) return `, ${least} or more${unit}`
    return least === undefined ? `, at most ${most}${unit}` : `, ${least} to ${most}${unit}`
  }
  if (type === 'string') {
    if (schema.pattern === '^ *$') return 'blank'
    const form = schema.format === undefined ? '' : `, ${schema.format}`
    return `text${form}${limits(schema.minLength, schema.maxLength, ' characters')}`
  }
  if (type === 'integer' || type === 'number')
    return `${type === 'integer' ? 'whole number' : 'number'}${limits(schema.minimum, schema.maximum, '')}`
  if (type === 'array')
    return `list of ${describeType(schema.items)}${limits(schema.minItems, schema.maxItems, '')}`
  return { boolean: 'true or false', null: 'null', object: 'object' }[type] ?? type
}

const bodyOf = (part) => part?.content?.['application/json']?.schema

function operationText(method, path, operation) {
  const lines = [`### ${operation.summary}`, '', `\`${method.toUpperCase()} ${path}\``, '']
  if (operation.description) lines.push(operation.description, '')
  const body = bodyOf(operation.requestBody)
  if (body !== undefined) lines.push(`Request: ${describeType(body)}`, '')
  if (operation.parameters.length > 0) {
    const rows = operation.parameters.map((one) => [
      `\`${one.name}\``,
      one.in,
      `${describeType(one.schema)}${one.required ? ', required' : ''}${describeDefault(one.schema)}`,
      sentence(one.description ?? one.schema.description ?? ''),
    ])
    lines.push(table(['parameter', 'in', 'value', 'meaning'], rows), '')
  }
  const answers = Object.entries(operation.responses).filter(([status]) => Number(status) < 300)
  const texts = answers.map(([status, answer]) => {
    const schema = bodyOf(answer)
    return `${status}${schema === undefined ? '' : ` with ${describeType(schema)}`}`
  })
  lines.push(`Response: ${texts.join('; ')}`, '')
  const errors = Object.entries(operation.responses).filter(([status]) => Number(status) >= 300)
  lines.push(`Errors: ${errors.map(([status]) => status).join(', ')}`, '')
  return lines.join('\n')
}

const describeDefault = ({ default: usual }) =>
  usual === undefined ? '' : `, default ${JSON.stringify(usual)}`

function schemaText(name, schema) {
  const lines = [`### ${name}`, '']
  if (schema.description) lines.push(schema.description, '')
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length === 0) return [...lines, sentence(describeType(schema)), ''].join('\n')
  const rows = fields.map(([field, value]) => [
    `\`${field}\``,
    `${describeType(value)}${schema.required?.includes(field) ? ', required' : ''}${describeDefault(value)}`,
    sentence(value.description ?? ''),
  ])
  return [...lines, table(['field', 'value', 'meaning'], rows), ''].join('\n')
}

/** Returns the reference as Markdown. */
export function writeReference(document) {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  const kinds = [...new Set(operations.map(({ operation }) => operation.tags[0]))]
  const errors = new Map(
    operations.flatMap(({ operation }) =>
      Object.entries(operation.responses).flatMap(([status, { description }]) =>
        Number(status) < 300 ? [] : [[status, description]],
      ),
    ),
  )
  const titles = {
    senders: 'Senders',
    shortlinks: 'Short links',
    contacts: 'Contacts',
    lists: 'Lists',
    optouts: 'Opt-outs',
  }
  const text = [
    '# REST reference',
    '',
    `The interface of the service, as the local server plays it. This page is made from its OpenAPI document by \`ui/guides/rest.mjs\`; \`roost openapi\` prints the document, and a running server has it at \`GET /openapi.json\`. Each request carries the key in the header \`X-AUTH-KEY\`.`,
    '',
    '## Statuses of errors',
    '',
    table(
      ['status', 'meaning'],
      [...errors].toSorted(([a], [b]) => Number(a) - Number(b)),
    ),
    '',
    ...kinds.flatMap((kind) => [
      `## ${titles[kind] ?? kind}`,
      '',
      ...operations
        .filter(({ operation }) => operation.tags[0] === kind)
        .map(({ method, path, operation }) => operationText(method, path, operation)),
    ]),
    '## Records',
    '',
    ...Object.entries(document.components.schemas).map(([name, schema]) => schemaText(name, schema)),
  ]
  return `${text.join('\n').trimEnd()}\n`
}

export const readReference = () => writeReference(JSON.parse(readFileSync(DOCUMENT, 'utf8')))

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(join(HERE, 'rest.md'), readReference())
