// Every screen for people who need more contrast, larger text, less motion, or no mouse.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeAccessible } from './support/a11y.mjs'
import { consoleForEach, testNeeding } from './support/console.mjs'
import { createEveryRecord, goTo, PLACES } from './support/journeys.mjs'
import { layoutFaults } from './support/window/layout.mjs'

const here = consoleForEach()

/** The looks of an operating system or a browser. A page of this size has the layout of 1280 × 800 at 200 %. */
const LOOKS = {
  'forced colours': { forcedColors: 'active' },
  'more contrast': { contrast: 'more' },
  '200 %': { viewport: { width: 640, height: 400 } },
}

const MOVING = `
  return document.getAnimations()
    .filter((one) => one.playState === 'running' && one.effect.getComputedTiming().duration > 1)
    .map((one) => one.effect.target.className + ' ' + (one.animationName ?? one.transitionProperty))`

for (const [look, options] of Object.entries(LOOKS)) {
  testNeeding('the look of a system')(`every screen is readable and still with ${look}`, async () => {
    const { list, contact } = await createEveryRecord(here.call)
    const page = await here.open({ reducedMotion: 'reduce', ...options })
    const faults = []
    for (const place of PLACES(list, contact)) {
      await goTo(page, place)
      faults.push(...(await layoutFaults(page)).map((fault) => `${place}: ${fault}`))
      faults.push(...(await page.run(MOVING)).map((what) => `${place}: ${what} moves`))
      // Only the colours of this look are read by axe.
      if (look === 'more contrast')
        await seeAccessible(page, place).catch(({ message }) => faults.push(message))
    }
    assert.deepEqual(faults, [])
  })
}

/** Returns what can have the focus by Tab, each with a number, and numbers it. */
const NUMBER_STOPS = `
  const stops = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
    .filter((one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility({ visibilityProperty: true }))
    .filter((one) => one.closest('[inert]') === null)
    .filter((one) => one.type !== 'radio' || one.checked)
  stops.forEach((one, at) => one.setAttribute('data-stop', at))
  return stops.map((one) => one.outerHTML.slice(0, 120))`
/** Returns the number of the element with the focus, and whether its focus can be seen. */
const FOCUS = `
  const one = document.activeElement
  const seen = (element, part) => {
    const { outlineStyle, outlineWidth, boxShadow, backgroundImage } = getComputedStyle(element, part)
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) ||
      [boxShadow, backgroundImage].some((style) => style !== 'none')
  }
  const around = [one, one?.parentElement, one?.closest('label'), ...(one?.querySelectorAll('*') ?? [])]
  const cell = document.getElementById(one?.getAttribute('aria-activedescendant') ?? '')
  return {
    stop: one?.getAttribute('data-stop') ?? null,
    what: one?.outerHTML.slice(0, 120),
    isSeen: [...around, cell].some((element) => element && (seen(element) || seen(element, '::after'))),
  }`

test('every button and field of every screen can be reached with Tab, and its focus is seen', async () => {
  const { list, contact } = await createEveryRecord(here.call)
  const page = await here.open({ reducedMotion: 'reduce' })
  const faults = []
  for (const place of PLACES(list, contact)) {
    await goTo(page, place)
    await page.run(`document.activeElement?.blur(); getSelection().removeAllRanges()`)
    const stops = await page.run(NUMBER_STOPS)
    const reached = new Set()
    // A grid takes Tab for its cells.
    for (let at = 0; reached.size < stops.length && at < 3 * stops.length + 60; at += 1) {
      await page.tab.keyboard.press('Tab')
      const { stop, isSeen, what } = await page.run(FOCUS)
      if (stop === null) continue
      if (!isSeen) faults.push(`${place}: the focus of ${what} cannot be seen`)
      reached.add(Number(stop))
    }
    stops.forEach((what, at) => reached.has(at) || faults.push(`${place}: ${what} is not reached`))
  }
  assert.deepEqual(faults, [])
})
