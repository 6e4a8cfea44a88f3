// Targets with parameters, titles from templates, and stored presets.
import { array, assert, constantFrom, property, string, tuple } from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LinkDraft } from '../create/rule'
import { Campaign } from './campaign.svelte'
import { parsePresets, withPreset } from './presets'
import { findCompletions, composeTitle, findTemplateFault, isUsingTitle } from './title'
import { NO_UTM, UTM_NAMES, withUtm, type Utm } from './utm'

const utm = (given: Partial<Utm>): Utm => ({ ...NO_UTM, ...given })
const SMS = utm({ source: 'newsletter', medium: 'sms' })

describe('a target with parameters', () => {
  it.each([
    ['https://shop.example', 'https://shop.example/?utm_source=newsletter&utm_medium=sms'],
    ['https://shop.example/a?', 'https://shop.example/a?utm_source=newsletter&utm_medium=sms'],
    ['https://shop.example?x=1', 'https://shop.example/?x=1&utm_source=newsletter&utm_medium=sms'],
    [
      'https://shop.example/a%20b?q=a+b%2Fc&&flag#top?no',
      'https://shop.example/a%20b?q=a+b%2Fc&flag&utm_source=newsletter&utm_medium=sms#top?no',
    ],
    ['http://127.0.0.1:8080/x#y', 'http://127.0.0.1:8080/x?utm_source=newsletter&utm_medium=sms#y'],
    ['HTTPS://Shop.example/Ä', 'HTTPS://Shop.example/Ä?utm_source=newsletter&utm_medium=sms'],
  ])('keeps what %s has', (target, wanted) => expect(withUtm(target, SMS)).toBe(wanted))

  it('replaces a parameter of the same name where it stands, once, however it is written', () =>
    expect(
      withUtm('https://shop.example/?utm_source=old&a=1&UTM%5Fsource=older&utm_term=kept&utm_id=7', SMS),
    ).toBe('https://shop.example/?utm_source=newsletter&a=1&utm_term=kept&utm_id=7&utm_medium=sms'))

  it('writes values so that every server reads them again', () => {
    const values = utm({ campaign: ' Spring & “Sale” 50 %=#?+ ', term: 'עברית', content: '\ud800x' })
    const written = withUtm('https://shop.example/?a=%', values) ?? ''
    const read = new URL(written).searchParams
    expect(read.get('utm_campaign')).toBe('Spring & “Sale” 50 %=#?+')
    expect(read.get('utm_term')).toBe('עברית')
    expect(read.get('utm_content')).toBe('\ufffdx')
    expect(written).not.toMatch(/\s/)
  })

  it('is the target itself where no parameter is given', () =>
    expect(withUtm('https://shop.example?b&a#', utm({ source: '  ' }))).toBe('https://shop.example?b&a#'))

  it.each([
    '',
    'shop',
    'ftp://a.example/',
    'javascript:alert(1)',
    'https:///x',
    'http://a b',
    'mailto:a@b.c',
  ])('is undefined if “%s” is not a web address', (bad) => expect(withUtm(bad, SMS)).toBeUndefined())

  it('has each parameter once, and all others as before, whatever they are', () => {
    const text = string({ unit: 'binary' })
    const pairs = array(tuple(constantFrom('a', 'utm_source', 'utm_medium', 'utm_id', 'é'), text))
    assert(
      property(pairs, text, (given, source) => {
        const target = new URL('https://shop.example/p')
        for (const [name, value] of given) target.searchParams.append(name, value)
        const made = new URL(withUtm(target.href, utm({ source, medium: 'm' })) ?? '')
        const others = (url: URL): string[][] =>
          [...url.searchParams].filter(([name]) => name !== 'utm_source' && name !== 'utm_medium')
        expect(others(made)).toEqual(others(target))
        expect(made.searchParams.getAll('utm_medium')).toEqual(['m'])
        if (source.trim() !== '')
          expect(made.searchParams.getAll('utm_source')).toEqual([
            source.trim().replaceAll(/\p{Surrogate}/gu, '\ufffd'),
          ])
      }),
    )
  })
})

describe('a title template', () => {
  const parts = { ...SMS, campaign: 'Spring', title: 'Chairs' }
  const made = (template: string, target = 'https://www.shop.example/x'): ReturnType<typeof composeTitle> =>
    composeTitle(template, parts, target, new Date(2026, 0, 5))

  it('stands for values, the domain and the day', () =>
    expect(made(' {campaign} – { Source } – {date} ({domain}, {title})').title).toBe(
      'Spring – newsletter – 2026-01-05 (shop.example, Chairs)',
    ))

  it('names what has no value, and shows it as it is', () =>
    expect(made('{term}/{content}/{domain}', '')).toEqual({
      title: '{term}/{content}/{domain}',
      missing: ['term', 'content', 'domain'],
    }))

  it('takes a value with braces for what it is', () =>
    expect(composeTitle('{campaign}', { ...parts, campaign: '$& {source}' }, '', new Date()).title).toBe(
      '$& {source}',
    ))

  it('is invalid with unknown placeholders, which are named, or an unmatched brace', () => {
    expect(findTemplateFault('{sorce} {campaign} {} {sorce}')).toMatch(/\{sorce\} and \{\}.*\{source\}/)
    expect(findTemplateFault('{campaign')).toMatch(/brace/)
    expect(findTemplateFault('campaign}')).toMatch(/brace/)
    expect(findTemplateFault('{CAMPAIGN} – {date}')).toBeUndefined()
  })

  it('says whether it has a place for a title', () =>
    expect(['{ Title }!', '{campaign}'].map(isUsingTitle)).toEqual([true, false]))

  it('is completed at its last open brace', () => {
    const wholes = (text: string): string[] => findCompletions(text).map(({ whole }) => whole)
    expect(wholes('')).toHaveLength(8)
    expect(wholes('{date} {c')).toEqual(['{date} {campaign}', '{date} {content}'])
    expect(wholes('{ So')).toEqual(['{source}'])
    expect(wholes('{date}')).toEqual([])
  })
})

describe('presets', () => {
  const preset = (name: string, source = ''): ReturnType<typeof parsePresets>[number] => ({
    name,
    utm: utm({ source }),
    template: '',
  })

  it('are read as far as they read as presets', () => {
    expect(parsePresets(undefined)).toEqual([])
    expect(parsePresets({ name: 'A' })).toEqual([])
    expect(
      parsePresets([null, 1, { name: ' ' }, { name: 'A', source: 's', medium: 2, template: '{date}' }]),
    ).toEqual([{ name: 'A', utm: utm({ source: 's' }), template: '{date}' }])
  })

  it('take the place of their namesakes, and of the one that is renamed', () => {
    const all = [preset('A'), preset('B')]
    expect(withPreset(all, preset('A', 'new'))).toEqual([preset('A', 'new'), preset('B')])
    expect(withPreset(all, preset('B', 'was A'), 'A')).toEqual([preset('B', 'was A')])
    expect(withPreset(all, preset('C'), 'A').map(({ name }) => name)).toEqual(['B', 'C'])
  })
})

describe('the links of a campaign', () => {
  const draft = (title: string, target_url: string): LinkDraft => ({
    title,
    target_url,
    tags: [],
    track_clicks: true,
  })
  function campaign(template: string, values: Partial<Utm> = {}): Campaign {
    const made = new Campaign()
    made.template = template
    made.utm = utm(values)
    return made
  }

  it('are as they were drafted without parameters and template', () =>
    expect(new Campaign().composeLink(draft('A', 'https://shop.example'))).toEqual({
      ...draft('A', 'https://shop.example'),
      faults: {},
    }))

  it('get parameters and titles, whichever of both is given', () => {
    const { title, target_url, faults } = campaign('{title} {source}', { source: 's' }).composeLink(
      draft('A', ' https://shop.example/x '),
    )
    expect([title, target_url, faults]).toEqual(['A s', 'https://shop.example/x?utm_source=s', {}])
    expect(
      campaign('{source}', { source: 's' }).composeLink(draft('', 'https://shop.example')).faults,
    ).toEqual({})
  })

  it('are invalid if the template is, lacks a value, or makes no valid title', () => {
    const title = (template: string, values?: Partial<Utm>): string | undefined =>
      campaign(template, values).composeLink(draft('', 'https://shop.example')).faults.title
    expect(title('{nothing}')).toContain('{nothing}')
    expect(title('{term} {content}')).toContain('{term} and {content} have no value')
    expect(title('{title}')).toBe('Give the link a title.')
    expect(title('{term}', { term: 'x'.repeat(101) })).toMatch(/1 character/)
  })

  it('need their title fixed in the template, unless a typed title is all that is missing', () => {
    const isTemplateAtFault = (template: string, title = ''): boolean =>
      campaign(template).isTemplateAtFault(draft(title, 'https://shop.example'))
    expect(
      ['', '{title}', '{title} {sorce}', '{date}'].map((template) => isTemplateAtFault(template)),
    ).toEqual([false, false, true, true])
    expect(isTemplateAtFault('{title} {term}', 'Chairs')).toBe(true)
  })

  it('are at fault where the parameters make the target too long', () => {
    const long = campaign('', { term: 'ü'.repeat(400) }).composeLink(draft('A', 'https://shop.example'))
    expect(long.faults.target_url).toMatch(/Shorten the target/)
  })

  it('know all names that are written', () => expect(Object.keys(NO_UTM)).toEqual([...UTM_NAMES]))
})
