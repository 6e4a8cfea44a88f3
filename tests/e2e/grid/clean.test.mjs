// The cleanup in Chromium: duplicates compared side by side and merged, texts fixed, by mouse and by keys alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { deleteContacts } from '../support/commands.mjs'
import { consoleForEach, testNeeding } from '../support/console.mjs'
import { picture, soon, until } from '../support/places.mjs'

const here = consoleForEach()
const it = testNeeding('played answers')

const number = (n) => `+4477009000${String(n).padStart(2, '0')}`
const LONG = `${'Longname'.repeat(4)} of Somewhere`

/** A group of three, a group of two with the same number, two whose names sound alike, and nine without duplicates. */
const PEOPLE = [
  { phone_number: number(1), firstname: 'Ada', lastname: 'Brown', email_address: 'ada@example.test', city: 'Leeds' },
  { phone_number: number(2), firstname: 'Ada', lastname: 'Brown', email_address: 'ADA@example.test', city: 'York' },
  { phone_number: number(3), firstname: 'Ada M.', email_address: 'ada@example.test' },
  { phone_number: number(4), firstname: 'Ben', lastname: LONG },
  { phone_number: number(4), firstname: 'Ben', lastname: LONG, company_name: 'North' },
  { phone_number: number(5), firstname: 'Catherine', lastname: 'Green', address_1: '1 High Street', zip: 'LS1 1AA' },
  { phone_number: number(6), firstname: 'Katharine', lastname: 'Green', address_1: '1 High St', zip: 'LS1 1AA' },
  ...Array.from({ length: 9 }, (_, n) => ({ phone_number: number(20 + n), firstname: `Nobody ${n}` })),
] // prettier-ignore

async function listOf(name, contacts) {
  const { call } = here
  const { uid } = await call('list_create', { name })
  if (contacts.length > 0) {
    const { faults } = await call('contact_paste', { list: uid, contacts, region: 'GB' })
    assert.deepEqual(faults, [])
  }
  return uid
}

async function open(hash, options) {
  const page = await here.open(options)
  await page.run('location.hash = arguments[0]', hash)
  const { tab } = page
  const title = () => page.text('main h2')
  return {
    ...page,
    dialog: tab.locator('dialog'),
    closed: () => until('the dialog is closed', async () => (await page.count('dialog')) === 0),
    press: async (...keys) => {
      for (const key of keys) await tab.keyboard.press(key)
    },
    /** Also shows groups with low confidence. */
    guesses: () => tab.getByRole('switch', { name: 'Show matches below 80%' }).check(),
    groups: (count) =>
      until(`there are ${count} groups`, async () => (await page.count('main [data-group]')) === count),
    /** Waits for the open group, by its heading and its first name. */
    group: (text, first) =>
      until(
        `the group ${text} ${first}`,
        async () =>
          (await title())?.startsWith(text) &&
          (await page.texts('main thead th[data-uid] .name'))[0]?.startsWith(first),
      ),
    suggestion: (text) =>
      until(`the suggestion ${text}`, async () => (await title())?.replaceAll(/\s+/g, ' ') === text),
    announces: (text) =>
      until(`it says ${text}`, async () => (await page.text('[data-testid=announcement]'))?.includes(text)),
    undo: () => tab.getByTestId('toast').last().getByRole('button', { name: 'Undo' }).click(),
    shot: async (name) => page.screenshot(await picture(`clean-${name}`)),
  }
}

const cell = (page, field, at) => page.tab.locator(`main tr[data-field="${field}"] td`).nth(at - 1)
const result = (page, field) =>
  page.text(`main tr[data-field="${field}"] td.result`).then((text) => text?.replaceAll(/\s+/g, ' '))
const contacts = async (list) => {
  const query = { list, page_number: 1, page_size: 200, sort: null, filter: null, opted_out: null }
  return (await here.call('contact_page', query)).items
}

test('a group is found from the lists, chosen field by field, merged, undone, skipped and taken up', async () => {
  const list = await listOf('Newsletter', PEOPLE)
  const page = await open('#/lists', { viewport: { width: 1600, height: 800 } })
  const { tab } = page
  await tab.locator('main tbody a.way').click()
  // Only the certain group is shown; the guesses follow it.
  await page.group('2 possible duplicates', 'Ben')
  await page.groups(1)
  await page.guesses()
  await page.groups(3)
  await tab.locator('main [data-group]', { hasText: 'Ada' }).click()
  await page.group('3 possible duplicates', 'Ada')
  await seeAccessible(page, 'the group')
  await matchAria(page, 'contacts/clean/duplicates')
  await page.shot('duplicates-light')
  await cell(page, 'city', 1).getByRole('radio').check()
  await cell(page, 'phone_number', 2).getByRole('radio').check()
  await soon(async () =>
    assert.equal(
      await result(page, 'phone_number'),
      `${number(2)}${(await result(page, 'phone_number')).slice(13)}`,
    ),
  )
  await soon(async () => assert.match(await page.text('[data-testid=lost]'), new RegExp(`\\${number(1)}`)))
  await tab.getByRole('checkbox', { name: /Include in the merge: contact 3/ }).uncheck()
  await tab.getByRole('button', { name: 'Merge 2 contacts' }).click()
  await page.announces('Merged. 1 contact removed.')
  await page.group('2 possible duplicates', 'Ada')
  await soon(async () => assert.equal((await contacts(list)).length, PEOPLE.length - 1))
  await page.undo()
  await page.groups(3)
  await page.group('3 possible duplicates', 'Ada')
  await soon(async () => assert.equal((await contacts(list)).length, PEOPLE.length))
  await tab.getByRole('button', { name: 'Skip' }).click()
  await page.groups(2)
  await tab.getByRole('button', { name: 'Skipped 1' }).click()
  await page.group('3 possible duplicates', 'Ada')
  await tab.getByRole('button', { name: 'Stop skipping' }).click()
  await until('nothing is skipped', async () => (await page.texts('main h2')).includes('No skipped groups'))
  await seeAccessible(page, 'nothing skipped')
  await tab.getByRole('button', { name: 'Skipped 0' }).click()
  await page.groups(3)
  await tab.locator('main thead a.name').first().click()
  await until('the record is open', async () => (await page.text('main h1')) === 'Newsletter')
  await tab.goBack()
  await page.groups(3)
})

test('groups are handled by keys alone, one by one and all at once', async () => {
  const list = await listOf('Newsletter', PEOPLE)
  const page = await open(`#/lists/${list}`)
  const { tab } = page
  await tab.locator('main [role=grid]').waitFor()
  await page.press('Control+Shift+p')
  await tab.keyboard.type('clean up')
  await page.press('Enter')
  await page.group('2 possible duplicates', 'Ben')
  await tab.getByRole('switch', { name: 'Show matches below 80%' }).focus()
  await page.press('Space')
  await page.groups(3)
  await page.press('j')
  await page.group('2 possible duplicates', 'Ca')
  await soon(async () => assert.equal(await page.run('return document.activeElement?.tagName'), 'H2'))
  await page.press('j', 'j')
  await page.announces('This is the last group.')
  await page.press('k', 'k', 'k')
  await page.announces('This is the first group.')
  await page.group('2 possible duplicates', 'Ben')
  await page.press('j', 'j')
  await page.group('3 possible duplicates', 'Ada')
  await page.press('3')
  await until('the third is kept', () =>
    tab.getByRole('radio', { name: /Keep this one: contact 3/ }).isChecked(),
  )
  await cell(page, 'city', 1).getByRole('radio').focus()
  await page.press('2')
  await until('York is taken', async () => (await result(page, 'city')).startsWith('York'))
  await page.press('a')
  await page.announces('Merged. 2 contacts removed.')
  await page.group('2 possible duplicates', 'Ca')
  const ada = (await contacts(list)).find(({ values }) => values.firstname === 'Ada M.')
  assert.equal(ada.values.city, 'York')
  await page.press('s')
  await page.group('2 possible duplicates', 'Ben')
  await page.press('Control+z')
  await page.group('3 possible duplicates', 'Ada')
  await page.press('Shift+A')
  await page.dialog.getByRole('button', { name: 'Merge 2 groups' }).waitFor()
  await until(
    'what goes is named',
    async () => (await page.text('dialog table'))?.includes('Removed') === true,
  )
  await seeAccessible(page, 'merging all')
  await matchAria(page, 'contacts/clean/merge-all', 'dialog')
  await page.shot('merge-all')
  await page.dialog.getByLabel('Minimum confidence').selectOption('70')
  const act = page.dialog.getByRole('button', { name: 'Merge 1 group', exact: true })
  await act.click()
  await page.closed()
  await page.announces('Merged 1 group and removed 1 contact.')
  await page.groups(1)
  await page.press('Shift+A')
  await act.waitFor()
  // Pressing Enter alone must not start an act on many contacts.
  assert.equal(await act.evaluate((button) => button === document.activeElement), false)
  await act.click()
  await page.closed()
  await until('all are decided', async () =>
    (await page.texts('main h2')).includes('No groups left to decide'),
  )
  await page.press('F1')
  await until(
    'the keys are shown',
    async () => (await page.text('[data-testid=keys]'))?.includes('Merge the selected contacts') === false,
  )
  await page.press('Escape', 'Control+z', 'Control+z')
  await page.groups(2)
  // The key sheet shows the keys of a group while one is open.
  await tab.getByRole('button', { name: /^Merge \d contacts$/ }).waitFor()
  await page.press('F1')
  await until('the keys are shown', async () =>
    (await page.text('[data-testid=keys]'))?.includes('Merge the selected contacts'),
  )
})

test('merging all counts who would lose an opt-out, and asks about it afterwards', async () => {
  const entries = [{ number: number(5), channels: ['SMS'], asset: null }]
  await here.call('opt_out_add', { entries, reason: 'asked for it', region: null })
  const people = [5, 6].map((n) => ({
    phone_number: number(n),
    firstname: 'Ravi',
    email_address: 'r@example.test',
  }))
  const list = await listOf('Newsletter', people)
  const page = await open(`#/lists/${list}/clean`)
  await page.groups(1)
  await page.press('Shift+A')
  const lost = page.dialog.getByTestId('opt-outs-lost')
  const rules = page.dialog.getByLabel('Suggested contact to keep')
  await rules.selectOption({ label: 'The newest' })
  await page.dialog.getByRole('button', { name: 'Merge 1 group', exact: true }).waitFor()
  const counted = await lost.count()
  await rules.selectOption({ label: 'The oldest' })
  await until('the other one loses it', async () => (await lost.count()) !== counted)
  if (counted === 1) await rules.selectOption({ label: 'The newest' })
  await lost.getByText('1 kept contact belongs to someone who opted out with another number.').waitFor()
  await page.shot('opt-outs-lost')
  await page.dialog.getByRole('button', { name: 'Merge 1 group', exact: true }).click()
  await page.tab
    .getByText(`This person opted out on ${number(5)}. Opt out ${number(6)} as well?`)
    .first()
    .waitFor()
})

test('changes of others are announced, a removed group is refused, and other ways to compare are chosen', async () => {
  const list = await listOf('Newsletter', PEOPLE)
  const { call } = here
  const page = await open(`#/lists/${list}/clean`)
  const { tab } = page
  await page.group('2 possible duplicates', 'Ben')
  await page.guesses()
  await page.groups(3)
  const ben = (await contacts(list)).find(({ values }) => values.firstname === 'Ben')
  await deleteContacts(call, list, [ben.uid])
  await tab.getByTestId('stale').waitFor()
  await seeAccessible(page, 'out of date')
  await page.shot('stale')
  await page.press('j', 'k')
  await until('one of them is gone', async () => (await page.count('main thead th[data-uid]')) === 1)
  await soon(async () =>
    assert.equal(await tab.getByRole('button', { name: /^Merge \d contacts?/ }).isDisabled(), true),
  )
  await page.press('Shift+A')
  await page.dialog.getByRole('alert').filter({ hasText: 'The list has changed' }).waitFor()
  await page.press('Escape')
  await page.closed()
  await tab.getByRole('button', { name: 'Search again' }).click()
  await page.groups(2)
  await until('nothing is out of date', async () => (await page.count('[data-testid=stale]')) === 0)
  await tab.getByRole('button', { name: 'Compare by…' }).click()
  await page.dialog.getByRole('checkbox', { name: /^E-mail/ }).uncheck()
  await seeAccessible(page, 'the ways to compare')
  await page.shot('keys')
  await page.dialog.getByRole('button', { name: 'Compare', exact: true }).click()
  await page.closed()
  await page.groups(1)
  await tab.reload()
  await page.guesses()
  await page.groups(1)
  await call('list_delete', { uid: list, typed_name: 'Newsletter' })
  await until('the list is gone', async () =>
    (await page.texts('main h2')).includes('This list no longer exists'),
  )
})

it('a search is watched and ended by a key, and rows that were not compared are reported', async () => {
  await listOf('Newsletter', PEOPLE)
  const page = await open('#/lists')
  const { tab } = page
  await tab.locator('main tbody a.way').waitFor()
  // A search over so few contacts ends at once, so the test reports it as running until it is cancelled.
  let now = { is_working: true, rows_read: 4, rows_total: 16, generation: 0 }
  await tab.route(/\/duplicate_(open|state|cancel|refresh)$/, async (route) => {
    const response = await route.fetch()
    const answer = await response.json()
    const url = route.request().url()
    if (url.endsWith('cancel')) now = { fault: 'The operation was cancelled.', generation: 0 }
    if (url.endsWith('refresh')) now = { is_stale: false }
    const keys = answer.keys?.map((one) => ({ ...one, is_left_out: one.key === 'near' }))
    await route.fulfill({ response, json: keys ? { ...answer, ...now, keys } : answer })
  })
  await tab.locator('main tbody a.way').click()
  await until('it is watched', async () =>
    (await page.text('[data-testid=working]'))?.includes('4 of 16 read'),
  )
  await seeAccessible(page, 'a search that goes on')
  await page.press('Control+.')
  const stopped = tab.getByText('Stopped before it finished. No results yet.')
  await stopped.waitFor()
  await tab.getByRole('button', { name: 'Try again' }).click()
  await page.group('2 possible duplicates', 'Ben')
  await page.guesses()
  await page.groups(3)
  await soon(async () => assert.equal(await stopped.count(), 0))
  await soon(async () =>
    assert.match(await page.text('[data-testid=left-out]'), /^Not compared by Typing errors/),
  )
  await tab.getByRole('button', { name: /^Match on/ }).click()
  await tab.getByRole('menuitemcheckbox', { name: 'E-mail address – 1 group' }).click()
  await page.groups(1)
  await tab.getByRole('button', { name: /^Minimum confidence/ }).click()
  await tab.getByRole('menuitemcheckbox', { name: '95% or higher' }).click()
  await until('no group fits', async () => (await page.texts('main h2')).includes('No matching groups'))
  await tab.getByRole('button', { name: 'Show all groups' }).click()
  await page.groups(3)
})

const BAD = [
  { phone_number: number(40), firstname: ' Ada  ', lastname: 'BROWN', alternate_phone: '7700900041' },
  { phone_number: number(42), firstname: 'B\u0435n', lastname: 'GREEN', alternate_phone: '4.47E+11' },
  { phone_number: number(43), firstname: 'Cleo ', lastname: 'Black', alternate_phone: '(07700) 900 044' },
  { phone_number: number(45), firstname: 'Dan', lastname: 'WHITE', alternate_phone: '4.47700900046E+11' },
]

test('texts are fixed with a preview, some or all; what cannot be fixed is only reported', async () => {
  const list = await listOf('Newsletter', BAD)
  const page = await open(`#/lists/${list}/clean/mending`)
  const { tab } = page
  const kinds = () => page.texts('main [data-kind] .kind')
  await page.suggestion('All capitals or all lower case · Last name')
  await soon(async () => assert.deepEqual(
    await kinds(),
    ['All capitals or all lower case', 'Extra spaces', 'Missing leading zero', 'Scientific notation',
     'Missing digits', 'Number not in international form', 'Letters of another script'],
  )) // prettier-ignore
  await seeAccessible(page, 'the suggestions')
  await matchAria(page, 'contacts/clean/mending')
  await page.shot('mending-light')
  await tab.getByRole('checkbox', { name: 'Select all 3 contacts' }).check()
  await tab.getByRole('checkbox', { name: 'Select Dan WHITE' }).uncheck()
  await tab.getByRole('button', { name: 'Fix 2 contacts' }).click()
  await page.announces('Fixed 2 contacts.')
  await until('one is left', async () => (await page.count('main tbody tr')) === 1)
  const last = async () =>
    (await contacts(list))
      .map(({ values }) => values.lastname)
      .toSorted()
      .join()
  await soon(async () => assert.equal(await last(), 'Black,Brown,Green,WHITE'))
  await page.undo()
  await until('all are back', async () => (await page.count('main tbody tr')) === 3)
  await page.press('j')
  await page.suggestion('Extra spaces · First name')
  await page.press('a')
  await page.dialog.getByRole('button', { name: 'Fix 2 contacts' }).waitFor()
  await seeAccessible(page, 'mending all')
  await matchAria(page, 'contacts/clean/mend-all', 'dialog')
  await page.shot('mend-all')
  await page.press('Enter')
  await page.closed()
  await page.announces('Fixed 2 contacts.')
  await page.suggestion('Missing leading zero · Alternate phone')
  await until('why is shown', async () =>
    (await page.text('main td.why'))?.startsWith('Read as a number from'),
  )
  await page.press('j', 'j')
  await page.suggestion('Missing digits · Alternate phone')
  await soon(async () => assert.equal(await page.count('main tbody input'), 0))
  await soon(async () => assert.equal(await tab.getByRole('button', { name: /^Fix/ }).count(), 0))
  await page.shot('digits-gone')
  await page.press('s')
  await page.suggestion('Number not in international form · Alternate phone')
  await tab.getByRole('button', { name: 'Skipped 1' }).click()
  await page.suggestion('Missing digits · Alternate phone')
  await tab.locator('main tbody a').click()
  await until('the record is open', async () => (await page.text('main h1')) === 'Newsletter')
  await tab.goBack()
  await page.suggestion('Missing digits · Alternate phone')
})

test('who is in several lists is shown for the whole account, and merged in a list', async () => {
  await listOf('Newsletter', PEOPLE.slice(0, 5))
  await listOf('Autumn', [PEOPLE[3]])
  const page = await open('#/lists')
  const { tab } = page
  await tab.getByRole('button', { name: 'Duplicates in all lists' }).click()
  await page.groups(1)
  await page.guesses()
  await page.groups(2)
  await soon(async () => assert.equal(await tab.getByRole('button', { name: /^Merge/ }).count(), 0))
  await until('the lists have names', async () =>
    (await page.texts('main tbody td a')).every((name) => ['Newsletter', 'Autumn'].includes(name)),
  )
  await page.press('j', 'k')
  await seeAccessible(page, 'the whole account')
  await page.shot('account')
  await tab.locator('main ul a', { hasText: 'Newsletter' }).click()
  await until('its duplicates', async () => (await page.text('main h1')) === 'Clean up “Newsletter”')
  await page.groups(1)
  await page.guesses()
  await page.groups(2)
})

test('it reads well when there is nothing, in the dark, and from right to left', async () => {
  const tidy = await listOf('Tidy', PEOPLE.slice(7))
  const empty = await listOf('Empty', [])
  const list = await listOf(`${LONG} ${LONG}`, [...PEOPLE, ...BAD])
  const page = await open(`#/lists/${tidy}/clean`)
  await until('no duplicates', async () => (await page.texts('main h2')).includes('No duplicates'))
  await seeAccessible(page, 'no duplicates')
  await page.shot('none')
  await page.tab.getByRole('tab', { name: 'Fixes' }).click()
  await until('nothing to mend', async () => (await page.texts('main h2')).includes('Nothing to fix'))
  await page.run('location.hash = arguments[0]', `#/lists/${empty}/clean`)
  await until('an empty list', async () => (await page.texts('main h2')).includes('This list is empty'))
  await seeAccessible(page, 'an empty list')
  await page.shot('empty')
  const dark = await open(`#/lists/${list}/clean`, { colorScheme: 'dark' })
  await dark.group('2 possible duplicates', 'Ben')
  await dark.shot('long-dark')
  await dark.guesses()
  await dark.groups(3)
  await dark.press('j', 'j')
  await dark.group('3 possible duplicates', 'Ada')
  await seeAccessible(dark, 'a group in the dark')
  await dark.shot('duplicates-dark')
  await dark.tab.getByRole('tab', { name: 'Fixes' }).click()
  await dark.suggestion('All capitals or all lower case · Last name')
  await seeAccessible(dark, 'suggestions in the dark')
  await dark.shot('mending-dark')
  const rtl = await open(`#/lists/${list}/clean`, { language: 'ar-XB' })
  await rtl.groups(1)
  await rtl.shot('duplicates-rtl')
  const isWide = () => rtl.run('return document.scrollingElement.scrollWidth > innerWidth')
  await soon(async () => assert.equal(await isWide(), false, 'nothing is wider than the page'))
})
