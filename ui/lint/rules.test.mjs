// Each import rule must report its breach and accept good files.
import { describe, expect, it } from 'vitest'
import { faultsIn, importsOf } from './rules.mjs'

const good = {
  'src/main.ts': "import './app/base.css'\nimport App from './app/App.svelte'",
  'src/app/base.css': '',
  'src/app/App.svelte': '<script lang="ts">\n  import Lists from "../screens/lists/Lists.svelte"\n</script>',
  'src/screens/lists/Lists.svelte': "<script>import { call } from '../../api/call'</script>",
  'src/screens/overview/Overview.svelte': '',
  'src/api/call.ts': "import { t } from './transport.tauri'",
  'src/api/transport.tauri.ts': "import { invoke } from '@tauri-apps/api/core'\nexport const t = invoke",
  'src/lib/text.ts': '',
}
const faults = (changed) => faultsIn(new Map(Object.entries({ ...good, ...changed })))

describe('import rules', () => {
  it('accept the plan of the house', () => expect(faults({})).toEqual([]))

  it.each([
    [
      'a cross-screen import',
      'src/screens/overview/Overview.svelte',
      '../lists/Lists.svelte',
      /never imports another/,
    ],
    ['an arrow up', 'src/lib/text.ts', '../api/call', /src\/lib may not import from src\/api/],
    ['an import of nothing', 'src/lib/text.ts', './gone', /leads to no file/],
    ['a file that imports itself', 'src/lib/text.ts', './text', /import cycle/],
  ])('refuse %s', (_, path, name, message) => {
    expect(faults({ [path]: `import x from '${name}'` }).join('\n')).toMatch(message)
  })

  it('refuse Tauri outside its door, also when imported on demand', () => {
    expect(faults({ 'src/lib/text.ts': "const a = import('@tauri-apps/api/core')" })).toHaveLength(1)
    expect(faults({ 'src/lib/text.ts': "import { type A,\n B } from '@tauri-apps/api/core'" })).toHaveLength(
      1,
    )
    expect(faults({ 'src/api/call.ts': "export { invoke } from '@tauri-apps/api/core'" })).toHaveLength(1)
  })

  it('refuse a longer cycle', () => {
    const ring = {
      'src/lib/a.ts': "import './b'",
      'src/lib/b.ts': "import './c'",
      'src/lib/c.ts': "import './a'",
    }
    expect(faults(ring)).toEqual([
      'import cycle: src/lib/a.ts -> src/lib/b.ts -> src/lib/c.ts -> src/lib/a.ts',
    ])
  })

  it('refuse a folder outside the plan', () => {
    expect(faults({ 'src/utils/x.ts': "import '../lib/text'" }).join()).toMatch(/no folder of the plan/)
  })

  it('read imports in every form and no comments', () => {
    const source =
      "import a from './a'\nimport './b'\nexport * from './c'\nimport type { D } from './d'\n/* import './e' */"
    expect(importsOf(source)).toEqual(['./a', './b', './c', './d'])
  })
})
