// The user's preferences of appearance and behaviour, applied to the page and stored by the core.
import { call, transport } from '../api/call'
import { learnSentences } from '../api/sentences'
import { LANGUAGES } from '../gen/languages'
import { m } from '../gen/words'
import { toasts } from '../kit/over/toasts.svelte'
import { commands } from '../lib/commands/registry.svelte'
import { DATES, findLanguage, language, PSEUDO_LOCALES, type Dates, type Texts } from '../lib/locale.svelte'

export const THEMES = ['system', 'light', 'dark', 'contrast'] as const
export const DENSITIES = ['comfortable', 'compact'] as const
export const MOTIONS = ['system', 'reduced'] as const
/** The languages of the page, each by its tag. */
export const SPOKEN: readonly string[] = ['en', ...Object.keys(LANGUAGES)]
const LOCALES: readonly string[] = [...SPOKEN, ...PSEUDO_LOCALES]
export const ZOOMS = [50, 67, 80, 90, 100, 110, 125, 150, 175, 200] as const

export interface Preferences {
  theme: (typeof THEMES)[number]
  density: (typeof DENSITIES)[number]
  motion: (typeof MOTIONS)[number]
  zoom: number
  /** A language, or `auto` for that of the computer. */
  locale: string
  dates: Dates
  dir: 'auto' | 'ltr' | 'rtl'
  plainKeys: boolean
}

/** Returns the name of a language in itself, so that its reader finds it in any other. */
export function nameLanguage(tag: string): string {
  const name = new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1)
}

export function getThemeTitle(theme: Preferences['theme']): string {
  return {
    system: m.frame_theme_system,
    light: m.frame_theme_light,
    dark: m.frame_theme_dark,
    contrast: m.frame_theme_contrast,
  }[theme]()
}

const USUAL: Preferences = {
  theme: 'system',
  density: 'comfortable',
  motion: 'system',
  zoom: 100,
  locale: 'auto',
  dates: 'auto',
  dir: 'auto',
  plainKeys: true,
}

/** Returns the values of `given` that this version knows. */
export function pickKnown(given: Readonly<Record<string, unknown>>): Partial<Preferences> {
  const findKnown = <T>(all: readonly T[], value: unknown): T | undefined =>
    all.find((each) => each === value)
  const found = {
    theme: findKnown(THEMES, given['theme']),
    density: findKnown(DENSITIES, given['density']),
    motion: findKnown(MOTIONS, given['motion']),
    zoom: findKnown<number>(ZOOMS, given['zoom']),
    locale: findKnown(['auto', ...LOCALES], given['locale']),
    dates: findKnown(DATES, given['dates']),
    dir: findKnown(['auto', 'ltr', 'rtl'] as const, given['dir']),
    plainKeys: findKnown([true, false] as const, given['plainKeys']),
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}

const dark = matchMedia('(prefers-color-scheme: dark)')
const contrast = matchMedia('(prefers-contrast: more)')

async function loadTexts(load: () => Promise<Texts>): Promise<Texts> {
  const [texts, { SENTENCES }] = await Promise.all([load(), import('../gen/sentences')])
  learnSentences(SENTENCES)
  return texts
}

class PreferencesState {
  value = $state.raw<Preferences>(USUAL)
  #speaking: Promise<void> = Promise.resolve()
  #turn = 0

  constructor() {
    this.#apply()
    for (const query of [dark, contrast]) query.addEventListener('change', () => this.#apply())
  }

  async load(): Promise<void> {
    const { preferences } = await call('preferences_get', {})
    this.value = { ...USUAL, ...pickKnown(preferences) }
    this.#apply()
  }

  async update(patch: Partial<Preferences>): Promise<void> {
    this.value = { ...this.value, ...patch }
    this.#apply()
    await call('preferences_put', { patch })
  }

  /** Resolves when the texts of the preferred language are loaded; until then, and without them, they are English. */
  whenSpoken(): Promise<void> {
    return this.#speaking
  }

  zoomBy(step: 1 | -1): Promise<void> {
    const at = ZOOMS.findIndex((zoom) => zoom >= this.value.zoom)
    return this.update({ zoom: ZOOMS[Math.min(Math.max(at + step, 0), ZOOMS.length - 1)] ?? 100 })
  }

  #apply(): void {
    const { theme, density, motion, zoom, locale, dates, plainKeys } = this.value
    this.#speaking = this.#speak(locale)
    language.dates = dates
    commands.plainKeys = plainKeys
    const root = document.documentElement
    const system = theme === 'system' || theme === 'contrast'
    root.dataset['scheme'] = system ? (dark.matches ? 'dark' : 'light') : theme
    root.dataset['contrast'] = theme === 'contrast' || (system && contrast.matches) ? 'more' : 'usual'
    // The system draws the menu bar and the lists of select fields.
    void transport.setTheme(system ? undefined : theme)
    root.dataset['density'] = density
    root.dataset['motion'] = motion
    root.style.setProperty('--zoom', String(zoom / 100))
  }

  async #speak(preferred: string): Promise<void> {
    const turn = ++this.#turn
    const wanted = preferred === 'auto' ? navigator.languages : [preferred]
    const locale = findLanguage([language.requested ?? '', ...wanted], LOCALES) ?? 'en'
    if (locale !== language.current) {
      const load = LANGUAGES[locale]
      const texts = load && (await loadTexts(load).catch(() => undefined))
      // The texts may be unreachable, or another language was chosen meanwhile.
      if ((load && texts === undefined) || turn !== this.#turn) return
      language.speak(locale, texts)
      toasts.dismissPassing()
    }
    const root = document.documentElement
    root.lang = language.current
    root.dir = this.value.dir === 'auto' ? language.dir : this.value.dir
  }
}

export const preferences = new PreferencesState()
