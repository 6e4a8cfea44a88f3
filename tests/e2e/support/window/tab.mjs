// The real window as a Playwright page: the part of the page's interface that journeys use, on WebDriver. Playwright's
// own script finds and checks elements, so that a journey means the same in the browser and here.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { ROOT, sleep } from '../places.mjs'

const PATIENCE_MS = 30_000
const LEFT = 0
const DOUBLE_CLICK_MS = 1_000

/** Reads the script that Playwright injects into every page, which is one string of its bundle. */
function readEngine() {
  const bundle = createRequire(join(ROOT, 'ui', 'package.json')).resolve('playwright-core/lib/coreBundle')
  const line = readFileSync(bundle, 'utf8')
    .split('\n')
    .find((one) => /^\s*source\d* = '/.test(one) && one.includes('InjectedScript'))
  if (line === undefined)
    throw new Error(`${bundle} holds no script for pages; see how this version names it`)
  return new Function(`return ${line.slice(line.indexOf('=') + 1).replace(/;\s*$/, '')}`)()
}

const OPTIONS = {
  isUnderTest: false,
  sdkLanguage: 'javascript',
  testIdAttributeName: 'data-testid',
  stableRafCount: 1,
  browserName: 'webkit',
  customEngines: [],
}
let engine
const INSTALL = () => `
  const module = {}
  ${(engine ??= readEngine())}
  window.journey = {
    engine: new (module.exports.InjectedScript())(window, ${JSON.stringify(OPTIONS)}),
    calls: 0,
    /** How often each key was stored for a restart. */
    kept: {},
    complaints: [],
  }
  // The function that the page calls cannot be replaced, but the fetch that it uses can.
  const { fetch } = window
  window.fetch = async (...given) => {
    const isCall = String(given[0]).startsWith('ipc://localhost/call')
    window.journey.calls += isCall
    try {
      const answer = await fetch(...given)
      const { name, payload } = isCall ? JSON.parse(given[1].body) : {}
      if (name === 'ui_state_put') window.journey.kept[payload.key] = (window.journey.kept[payload.key] ?? 0) + 1
      return answer
    } finally {
      window.journey.calls -= isCall
    }
  }
  window.addEventListener('error', ({ message }) => {
    // ResizeObserver reports sizes that arrive a frame later; that is not an error of the page.
    if (!message.startsWith('ResizeObserver loop')) window.journey.complaints.push(message)
  })
  const complain = console.error
  console.error = (...parts) => {
    window.journey.complaints.push(parts.join(' '))
    complain(...parts)
  }`

/** Runs in the page: finds the only element of a selector, in the states that an act needs. */
const READY = `
  const [selector, states, isHit] = arguments
  const found = engine.querySelectorAll(engine.parseSelector(selector), document)
  if (found.length !== 1) return { wait: found.length + ' elements', isMany: found.length > 1 }
  const [element] = found
  const missing = await engine.checkElementStates(element, states, true)
  if (missing !== undefined) return { wait: 'not ' + (missing.missingState ?? missing) }
  const far = (box) => box.top < 0 || box.left < 0 || box.bottom > innerHeight || box.right > innerWidth
  element.scrollIntoView(far(element.getBoundingClientRect()) ? { block: 'center', inline: 'center' } : { block: 'nearest', inline: 'nearest' })
  if (!isHit) return { element }
  const box = element.getBoundingClientRect()
  const point = { x: box.left + box.width / 2, y: box.top + box.height / 2 }
  const hit = engine.expectHitTarget(point, element)
  return hit === 'done' ? { element, point } : { wait: 'covered by ' + hit.hitTargetDescription }`

const exactly = (text, exact) =>
  text instanceof RegExp ? String(text) : JSON.stringify(text) + (exact ? 's' : 'i')

class Locator {
  constructor(tab, selector) {
    this.tab = tab
    this.selector = selector
  }
  to(selector) {
    return new Locator(this.tab, this.selector === '' ? selector : `${this.selector} >> ${selector}`)
  }
  locator(css, options) {
    return (
      css instanceof Locator ? this.to(`internal:chain=${JSON.stringify(css.selector)}`) : this.to(css)
    ).filter(options)
  }
  filter({ hasText, has, hasNotText } = {}) {
    let narrowed = this
    if (hasText !== undefined) narrowed = narrowed.to(`internal:has-text=${exactly(hasText)}`)
    if (hasNotText !== undefined) narrowed = narrowed.to(`internal:has-not-text=${exactly(hasNotText)}`)
    if (has !== undefined) narrowed = narrowed.to(`internal:has=${JSON.stringify(has.selector)}`)
    return narrowed
  }
  getByRole(role, { exact, ...attributes } = {}) {
    const written = Object.entries(attributes).map(([key, value]) =>
      key === 'name' ? `[name=${exactly(value, exact)}]` : `[${key}=${value}]`,
    )
    return this.to(`internal:role=${role}${written.join('')}`)
  }
  getByLabel(text, { exact } = {}) {
    return this.to(`internal:label=${exactly(text, exact)}`)
  }
  getByText(text, { exact } = {}) {
    return this.to(`internal:text=${exactly(text, exact)}`)
  }
  getByTestId(id) {
    return this.to(`internal:testid=[data-testid=${JSON.stringify(id)}s]`)
  }
  or(other) {
    return this.to(`internal:or=${JSON.stringify(other.selector)}`)
  }
  and(other) {
    return this.to(`internal:and=${JSON.stringify(other.selector)}`)
  }
  nth(at) {
    return this.to(`nth=${at}`)
  }
  first() {
    return this.nth(0)
  }
  last() {
    return this.nth(-1)
  }

  /** Runs a body on all elements that exist now. */
  all(body, ...args) {
    return this.tab.inPage(
      `const [selector, ...given] = arguments
       const all = engine.querySelectorAll(engine.parseSelector(selector), document)
       ${body}`,
      this.selector,
      ...args,
    )
  }
  count() {
    return this.all('return all.length')
  }
  allTextContents() {
    return this.all('return all.map((one) => one.textContent ?? "")')
  }
  evaluateAll(act, given) {
    return this.all(`return (${act})(all, given[0])`, given)
  }
  isVisible() {
    return this.all('return all.length > 0 && engine.elementState(all[0], "visible", true).matches')
  }

  /** Waits until the only element is in these states, and runs a body on it. */
  one(body, { states = [], isHit = false, timeout = PATIENCE_MS, args = [] } = {}) {
    const script = `
      const ready = await (async () => { ${READY} }).apply(null, arguments)
      if (ready.element === undefined) return ready
      const { element, point } = ready
      const given = [...arguments].slice(3)
      return { value: await (async () => { ${body} })() }`
    return this.tab.poll(
      this.selector,
      async () => {
        const ran = await this.tab.inPage(script, this.selector, states, isHit, ...args)
        if (ran.isMany) throw new Error(`${this.selector} is ${ran.wait}, not one`)
        return ran
      },
      timeout,
    )
  }
  evaluate(act, given) {
    return this.one(`return (${act})(element, given[0])`, { args: [given ?? null] })
  }
  textContent() {
    return this.one('return element.textContent')
  }
  innerText() {
    return this.one('return element.innerText')
  }
  innerHTML() {
    return this.one('return element.innerHTML')
  }
  inputValue() {
    return this.one('return element.value')
  }
  getAttribute(name) {
    return this.one('return element.getAttribute(given[0])', { args: [name] })
  }
  isChecked() {
    return this.one('return engine.elementState(element, "checked", true).matches')
  }
  async isDisabled() {
    return this.one('return engine.elementState(element, "disabled", true).matches')
  }
  async isEnabled() {
    return !(await this.isDisabled())
  }
  boundingBox() {
    return this.all(`
      if ((all[0]?.getClientRects().length ?? 0) === 0) return null
      const { x, y, width, height } = all[0].getBoundingClientRect()
      return { x, y, width, height }`)
  }
  /** A dialog that is about to close still keeps the focus from everything behind it. */
  async focus() {
    const ask = async () =>
      (await this.one(`
        if (document.querySelector(':modal') && !element.closest(':modal')) return false
        engine.focusNode(element)
        return true`))
        ? { value: undefined }
        : { wait: 'behind a dialog' }
    await this.tab.poll(this.selector, ask, PATIENCE_MS)
  }
  dispatchEvent(type, init = {}) {
    return this.one(
      `const { dataTransfer, ...init } = given[1]
       if (dataTransfer !== undefined) init.dataTransfer = window.journey.handles[dataTransfer.handle]
       engine.dispatchEvent(element, given[0], init)`,
      { args: [type, init] },
    )
  }
  scrollIntoViewIfNeeded() {
    return this.one('')
  }
  async waitFor({ state = 'visible', timeout = PATIENCE_MS } = {}) {
    const is = {
      visible: 'all.length === 1 && engine.elementState(all[0], "visible", true).matches',
      hidden: 'all.every((one) => !engine.elementState(one, "visible", true).matches)',
      attached: 'all.length === 1',
      detached: 'all.length === 0',
    }[state]
    const ask = async () =>
      (await this.all(`return ${is}`)) ? { value: undefined } : { wait: `not ${state}` }
    await this.tab.poll(this.selector, ask, timeout)
  }
  async point({ timeout, states = ['visible', 'enabled', 'stable'], position, isClick = false } = {}) {
    const watch = isClick ? "window.journey.hit = engine.setupHitTargetInterceptor(element, 'mouse')\n" : ''
    const aim =
      position === undefined
        ? `${watch}return point`
        : 'const box = element.getBoundingClientRect(); return { x: box.x + given[0].x, y: box.y + given[0].y }'
    return this.one(aim, { states, isHit: position === undefined, timeout, args: [position ?? null] })
  }
  async click({ button, modifiers = [], clickCount = 1, ...options } = {}) {
    const ask = async () => {
      const { x, y } = await this.point({ ...options, isClick: button !== 'right' })
      if (button === 'right') return { value: await this.tab.clickRight(x, y) }
      await this.tab.partClicks(x, y)
      for (const key of modifiers) await this.tab.keyboard.down(key)
      await this.tab.pointer([
        this.tab.moveTo(x, y),
        ...Array.from({ length: clickCount }, () => ['pointerDown', 'pointerUp'])
          .flat()
          .map((type) => ({ type, button: LEFT })),
      ])
      for (const key of modifiers) await this.tab.keyboard.up(key)
      return this.tab.endClick()
    }
    await this.tab.poll(this.selector, ask, options.timeout ?? PATIENCE_MS)
  }
  dblclick(options) {
    return this.click({ ...options, clickCount: 2 })
  }
  async hover(options) {
    const { x, y } = await this.point({ states: ['visible', 'stable'], ...options })
    await this.tab.mouse.move(x, y)
  }
  async fill(text) {
    const states = ['visible', 'enabled', 'editable']
    await this.one(
      `element.focus()
       if (!/^(?:text|search|url|tel|email|password|number|textarea)?$/.test(element.type ?? '')) return engine.fill(element, given[0])
       const kind = element instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement
       Object.getOwnPropertyDescriptor(kind.prototype, 'value').set.call(element, given[0])
       element.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText', data: given[0] }))`,
      { states, args: [text] },
    )
  }
  selectOption(wanted) {
    return this.one(
      `const options = [...element.options]
       const { label, index } = typeof given[0] === 'string' ? {} : given[0]
       const option = label !== undefined ? options.find((one) => one.label === label)
         : index !== undefined ? options[index]
         : options.find((one) => one.value === given[0]) ?? options.find((one) => one.label === given[0])
       if (option === undefined) throw new Error('no option ' + JSON.stringify(given[0]) + ' in ' + options.map((one) => one.label).join(', '))
       element.focus()
       element.value = option.value
       for (const type of ['input', 'change']) element.dispatchEvent(new Event(type, { bubbles: true }))`,
      { states: ['visible', 'enabled'], args: [wanted] },
    )
  }
  async setChecked(wanted) {
    if ((await this.isChecked()) === wanted) return
    await this.click()
    await this.tab.poll(
      this.selector,
      async () => ((await this.isChecked()) === wanted ? { value: undefined } : { wait: `not ${wanted}` }),
      PATIENCE_MS,
    )
  }
  check() {
    return this.setChecked(true)
  }
  uncheck() {
    return this.setChecked(false)
  }
  async press(chord) {
    await this.focus()
    await this.tab.keyboard.press(chord)
  }
  selectText() {
    return this.one('element.focus(); element.select()')
  }
  ariaSnapshot() {
    return this.one('return engine.ariaSnapshot(element, { mode: "default" })')
  }
}

/** Features that only the browser has: a journey that needs one fails here with the reason. */
const ONLY_BROWSER = ['route', 'unroute', 'waitForResponse', 'waitForRequest', 'context', 'bringToFront']

/** Creates the `tab` of a window's page; `send` speaks WebDriver. */
export function tabOf(page, send, keys) {
  const keyAct = (type, key) => ({ type, value: keys[key] ?? key })
  const keyboardAct = (acts) =>
    send('POST', '/actions', { actions: [{ type: 'key', id: 'keys', actions: acts }] })
  const wheel = (x, y, deltaX, deltaY) =>
    send('POST', '/actions', {
      actions: [
        {
          type: 'wheel',
          id: 'wheel',
          actions: [{ type: 'scroll', x, y, deltaX, deltaY, duration: 0, origin: 'viewport' }],
        },
      ],
    })
  let at = { x: 0, y: 0 }
  let clicked = { at: 0 }

  const tab = {
    kind: 'window',
    /** The page's errors, as far as they were collected. */
    complaints: [],
    /** Runs a body in the page with the engine, which is injected first if the page is new. */
    async inPage(body, ...args) {
      const script = `
        if (window.journey === undefined) return { isNew: true }
        const { engine } = window.journey
        return (async (...given) => {
          const value = await (async function () { ${body} }).apply(null, given)
          return { value, complaints: window.journey.complaints.splice(0) }
        })(...arguments)`
      let ran = await page.run(script, ...args)
      if (ran.isNew) {
        await page.run(INSTALL())
        ran = await page.run(script, ...args)
      }
      tab.complaints.push(...ran.complaints)
      return ran.value
    },
    async poll(what, ask, timeout) {
      const end = Date.now() + timeout
      for (;;) {
        const ran = await ask()
        if (ran.wait === undefined) return ran.value
        if (Date.now() > end) throw new Error(`waited ${timeout} ms in vain for ${what}: ${ran.wait}`)
        await sleep(40)
      }
    },
    /** Waits until no call is pending and the responses are rendered. */
    async rest(ms = 1_000) {
      const end = Date.now() + ms
      const busy = () =>
        tab.inPage('await new Promise((drawn) => setTimeout(drawn)); return window.journey.calls > 0')
      while ((await busy()) && Date.now() < end) await sleep(10)
    },
    clickRight: page.clickRight,
    /** Waits, if needed, between two clicks at the same point, which the driver would merge into a double click. */
    async partClicks(x, y) {
      const isSame = Math.round(x) === clicked.x && Math.round(y) === clicked.y
      if (isSame) await sleep(clicked.at + DOUBLE_CLICK_MS - Date.now())
      clicked = { x: Math.round(x), y: Math.round(y), at: Date.now() }
    },
    /** Says whether a click reached its element. The engine kept it from any other, onto which the page had moved. */
    async endClick() {
      const hit = await tab.inPage(`
        const { hit } = window.journey
        delete window.journey.hit
        return hit?.stop?.() ?? 'done'`)
      return hit === 'done' ? { value: undefined } : { wait: 'covered by ' + hit.hitTargetDescription }
    },
    moveTo(x, y) {
      at = { x, y }
      return { type: 'pointerMove', origin: 'viewport', x: Math.round(x), y: Math.round(y), duration: 0 }
    },
    pointer: (actions) =>
      send('POST', '/actions', {
        actions: [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }],
      }),
    keyboard: {
      async press(chord) {
        if (!['Control+.', 'Escape'].includes(chord)) await tab.rest()
        await page.press(chord.replace(/^Alt\+(?=(?:Shift\+)?[\dntw]$)/i, 'Control+'))
      },
      async type(text) {
        await tab.rest()
        await page.type(text)
      },
      down: (key) => keyboardAct([keyAct('keyDown', key)]),
      up: (key) => keyboardAct([keyAct('keyUp', key)]),
    },
    mouse: {
      async move(x, y, { steps = 1 } = {}) {
        const from = at
        const moves = Array.from({ length: steps }, (_, n) => {
          const part = (n + 1) / steps
          return tab.moveTo(from.x + (x - from.x) * part, from.y + (y - from.y) * part)
        })
        await tab.pointer(moves)
      },
      down: () => tab.pointer([{ type: 'pointerDown', button: LEFT }]),
      up: () => tab.pointer([{ type: 'pointerUp', button: LEFT }]),
      async click(x, y) {
        await tab.pointer([
          tab.moveTo(x, y),
          { type: 'pointerDown', button: LEFT },
          { type: 'pointerUp', button: LEFT },
        ])
      },
      wheel: (deltaX, deltaY) => wheel(Math.round(at.x), Math.round(at.y), deltaX, deltaY),
    },
    evaluate: (act, given) =>
      typeof act === 'function'
        ? tab.inPage(`return (${act})(arguments[0])`, given ?? null)
        : page.run(`${act}`),
    /** Only for arguments of `dispatchEvent`: the value stays in the page, identified by a number. */
    async evaluateHandle(act, given) {
      const handle = await tab.inPage(
        `const handles = (window.journey.handles ??= [])
         return handles.push(await (${act})(arguments[0])) - 1`,
        given ?? null,
      )
      return { handle }
    },
    async waitForFunction(act, given) {
      const ask = async () => ((await tab.evaluate(act, given)) ? { value: undefined } : { wait: 'not true' })
      await tab.poll(String(act), ask, PATIENCE_MS)
    },
    async waitForKept(key) {
      const count = () => tab.inPage('return window.journey.kept[arguments[0]] ?? 0', key)
      const before = await count()
      const ask = async () => ((await count()) > before ? { value: undefined } : { wait: 'not kept' })
      await tab.poll(key, ask, PATIENCE_MS)
    },
    /** Reloads the page, in `language` if given. */
    async reload(language) {
      const turn = `
        window.journey = 'over'
        if (arguments[0] === null) location.reload()
        else location.search = '?locale=' + arguments[0]`
      await page.run(turn, language ?? null)
      const isThere =
        'return window.journey === undefined && document.querySelector("main h1, [data-testid]") !== null'
      // During the reload there is no page that the driver could ask.
      const ask = async () => ((await page.run(isThere).catch(() => false)) ? {} : { wait: 'empty' })
      await tab.poll('the page', ask, PATIENCE_MS)
      // Inject the engine before the first act, to record what the page stores and its errors from the start.
      await tab.inPage('')
    },
    /** Does the same as a browser's `download` event. */
    waitForEvent: () => page.saveNext(),
    setViewportSize: ({ width, height }) => page.resize(width, height),
    /** Waits until the page is there, because a second step back would replace one that is still under way. */
    goBack: () =>
      page.run(
        `return new Promise((done) => {
           addEventListener('popstate', () => done(null), { once: true })
           history.back()
         })`,
      ),
    url: () => page.run('return location.href'),
    title: () => page.title(),
    on: () => undefined,
  }
  const root = new Locator(tab, '')
  for (const name of ['locator', 'getByRole', 'getByLabel', 'getByText', 'getByTestId'])
    tab[name] = (...given) => root[name](...given)
  for (const name of ONLY_BROWSER)
    tab[name] = () => {
      throw new Error(`The window has no ${name}. This journey runs in the browser only.`)
    }
  return tab
}
