// Declares the module with the pages of the guide, which guides/compile.mjs generates from Markdown.
declare module 'virtual:guides' {
  export interface GuideSection {
    /** The anchor of the heading; empty for the first section, which has the title of the page. */
    id: string
    level: number
    title: string
    html: string
  }
  export interface GuidePage {
    id: string
    group: 'guides' | 'reference'
    title: string
    headings: readonly { id: string; title: string }[]
    load: () => Promise<readonly GuideSection[]>
  }
  export const PAGES: readonly GuidePage[]
}
