// The pages of the guide, which guides/compile.mjs makes from Markdown.
declare module 'virtual:guides' {
  export interface GuideSection {
    /** The anchor; empty for the section that begins with the title of the page. */
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
