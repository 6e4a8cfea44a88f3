// The contact sheet: every picture on one page, light beside dark.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { THEMES } from './camera.mjs'

const STYLE = `
  body { margin: 2rem; background: #8a8780; font: 14px/1.4 system-ui, sans-serif; color: #fff }
  section { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; margin-block-end: 2rem }
  h2 { grid-column: 1 / -1; margin: 0; font-size: 1.1rem }
  img { inline-size: 100%; block-size: auto; border-radius: 4px; display: block }
  figure { margin: 0 } figcaption { padding: 0.25rem 0 }`

export async function writeSheet({ folder, pictures }) {
  const groups = new Map()
  for (const picture of pictures) {
    const key = `${picture.screen}: ${picture.state}`
    groups.set(key, [...(groups.get(key) ?? []), picture])
  }
  const sections = [...groups].map(([title, group]) => {
    const figures = group
      .toSorted((a, b) => THEMES.indexOf(a.theme) - THEMES.indexOf(b.theme))
      .map(
        ({ file, theme, source }) =>
          `<figure><a href="${file}"><img src="${file}" alt="${title}, ${theme}" loading="lazy"></a>` +
          `<figcaption>${theme}, from the ${source}</figcaption></figure>`,
      )
    return `<section><h2>${title}</h2>${figures.join('')}</section>`
  })
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Pictures of Roost</title><style>${STYLE}</style><h1>Pictures of Roost</h1>${sections.join('\n')}</html>\n`
  await writeFile(join(folder, 'index.html'), page)
}
