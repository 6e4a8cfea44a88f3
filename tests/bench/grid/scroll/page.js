// Runs in the page that is measured: drives what is there, the grid or the bare rows, frame by frame. One expression,
// so that it can be handed to a browser as text.
;(() => {
  const HOST = '.roost-grid'
  const LINES = `${HOST} .body .line:not([hidden])`
  const WHEEL_ROWS = 3
  const FRAMES = { wheel: 240, keys: 120, thumb: 180 }
  const WARM = 40
  /** Different rows of the bare page; no multiple of what it moves by. */
  const KINDS = 4_093
  /** How far the thumb is drawn in a frame, of its whole way: some two pixels of the bar. */
  const DRAWN = 0.003

  const frame = () => new Promise((done) => requestAnimationFrame(() => done(performance.now())))

  /** Milliseconds of each frame, with an act in each. */
  async function frames(count, act) {
    const times = []
    let before = await frame()
    for (let at = 0; at < count; at += 1) {
      act(at)
      const now = await frame()
      times.push(now - before)
      before = now
    }
    return times
  }

  /** Where the thumb is drawn to: down, and up again. */
  const drawn = (at, share) => {
    const turn = FRAMES.thumb / 2
    return share + (at < turn ? at : 2 * turn - at) * DRAWN
  }

  async function scenario({ wheel, key, thumb }) {
    await frames(WARM, () => wheel(WHEEL_ROWS))
    const times = { wheel: await frames(FRAMES.wheel, () => wheel(WHEEL_ROWS)) }
    thumb(0.5)
    await frames(WARM, () => wheel(WHEEL_ROWS))
    times.keys = await frames(FRAMES.keys, () => key())
    await frames(WARM, () => wheel(WHEEL_ROWS))
    times.thumb = await frames(FRAMES.thumb, (at) => thumb(drawn(at, 0.2)))
    return times
  }

  /** The grid as it is: events on its elements, as a hand would cause them. */
  function ofGrid() {
    const host = document.querySelector(HOST)
    const grid = host.querySelector('[role=grid]')
    const bar = host.querySelector('.bar.down')
    grid.focus()
    const send = (event) => grid.dispatchEvent(event)
    const common = { bubbles: true, cancelable: true }
    return {
      wheel: (rows) => send(new WheelEvent('wheel', { ...common, deltaY: rows, deltaMode: 1 })),
      key: () => send(new KeyboardEvent('keydown', { ...common, key: 'PageDown', code: 'PageDown' })),
      thumb: (share) => (bar.scrollTop = share * (bar.scrollHeight - bar.clientHeight)),
    }
  }

  /** Where the grid has its cells and what stands in them, for the bare page. */
  function shape() {
    const host = document.querySelector(HOST)
    const total = Number(host.querySelector('[role=grid]').getAttribute('aria-rowcount')) - 1
    const style = getComputedStyle(host)
    const area = host.querySelector('.body').getBoundingClientRect()
    const lines = [...document.querySelectorAll(LINES)].map((line) => {
      const { top, height } = line.getBoundingClientRect()
      const cells = [...line.querySelectorAll('.cell')].map((cell) => {
        const { left, right, width } = cell.getBoundingClientRect()
        const isIn = right > area.left && left < area.right
        return { left, width, isIn, text: cell.lastChild?.data ?? '' }
      })
      return { top, height, cells: cells.filter(({ isIn }) => isIn) }
    })
    const { fontFamily, fontSize } = style
    const { left, top, width, height } = area
    return {
      total,
      lines,
      area: { left, top, width, height },
      font: { fontFamily, fontSize },
    }
  }

  /** As many fixed rows of the same cells as the grid has in view, and nothing that is not painting their texts. */
  function ofBare({ total, lines, area, font }) {
    const put = (parent, style) => {
      const element = document.createElement('div')
      for (const [name, value] of Object.entries(style))
        element.style[name] = typeof value === 'number' ? `${value}px` : value
      parent.append(element)
      return element
    }
    const still = { position: 'absolute', contain: 'strict', overflow: 'hidden' }
    const line = '1px solid #ddd'
    document.body.replaceChildren()
    const body = put(document.body, { ...still, ...font, ...area, background: '#fff', color: '#222' })
    const nodes = lines.map(({ top, height, cells }) => {
      const row = put(body, {
        ...still,
        top: top - area.top,
        left: 0,
        width: area.width,
        height,
        borderBottom: line,
      })
      return cells.map(({ left, width }) => {
        const cell = put(row, {
          ...still, left: left - area.left, width, top: 0, height,
          boxSizing: 'border-box', padding: '0 8px', borderRight: line, lineHeight: `${height}px`, whiteSpace: 'nowrap',
        }) // prettier-ignore
        const text = document.createTextNode('')
        cell.append(text)
        return text
      })
    })
    // As different from each other as those of the list: what a browser has shaped once costs it nothing again.
    const texts = Array.from({ length: KINDS }, (_, kind) => {
      let seed = kind
      const digit = () => String((seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) >> 16).slice(-1)
      return lines[kind % lines.length].cells.map(({ text }) => text.replace(/\d/g, digit))
    })
    let first = 0
    let asked = 0
    const paint = () => {
      asked = 0
      nodes.forEach((cells, at) => {
        const row = first + at
        const of = texts[row % KINDS]
        cells.forEach((node, column) => {
          const text = column === 0 ? String(row + 1) : of[column]
          if (node.data !== text) node.data = text
        })
      })
    }
    const to = (row) => {
      first = Math.max(0, Math.min(Math.round(row), total - nodes.length))
      asked ||= requestAnimationFrame(paint)
    }
    paint()
    return {
      wheel: (rows) => to(first + rows),
      key: () => to(first + nodes.length - 1),
      thumb: (share) => to(share * total),
    }
  }

  /** All texts in view have come. */
  const isThere = () => {
    const lines = document.querySelectorAll(LINES)
    const last = lines[lines.length - 1]
    return lines.length > 5 && (last.querySelector('[aria-colindex="2"]')?.textContent ?? '') !== ''
  }

  /** Starts one of both; the outcome stands in `window.benched` at the end. */
  const start = (of, given) => {
    window.benched = undefined
    const page = of === 'grid' ? ofGrid() : ofBare(given)
    scenario(page).then(
      (times) => (window.benched = { times }),
      (error) => (window.benched = { fault: String(error) }),
    )
  }

  /** Draws the thumb through the whole list, a block at a time. */
  async function through(steps) {
    const { thumb } = ofGrid()
    for (let at = 0; at < steps; at += 1) {
      thumb(at / (steps - 1))
      await frame()
    }
    thumb(0)
  }

  window.bench = { isThere, shape, start, through }
})()
