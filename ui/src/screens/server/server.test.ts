// The logic of the pages of the local server: curl lines and rates of requests.
import { describe, expect, test } from 'vitest'
import { createRequestMaker, toCurlLine, parseSeconds } from './admin-request'
import { computeRate } from './worlds/worlds.svelte'

const BASE = 'http://127.0.0.1:4010'

describe('the curl line of an act', () => {
  test('has the token as a variable and the body as it is sent', () => {
    expect(toCurlLine(BASE, { method: 'PUT', target: '/__admin/clock', body: { mode: 'frozen' } })).toBe(
      `curl -X PUT ${BASE}/__admin/clock -H "Authorization: Bearer $ROOST_ADMIN_TOKEN" -H 'content-type: application/json' -d '{"mode":"frozen"}'`,
    )
  })

  test('quotes what means something to a shell', () => {
    const line = toCurlLine(BASE, { method: 'POST', target: '/__admin/x?y=1&z=2', body: { name: "it's" } })
    expect(line).toContain(`'${BASE}/__admin/x?y=1&z=2'`)
    expect(line).toContain(String.raw`{"name":"it'\''s"}`)
  })

  test('names the world by its path, but for the default one', () => {
    expect(createRequestMaker('default')('GET', '/clock')).toEqual({
      method: 'GET',
      target: '/__admin/clock',
    })
    expect(createRequestMaker('ci-7')('GET', '/clock').target).toBe('/__admin/worlds/ci-7/clock')
  })

  test('fills the path and the query, each escaped', () => {
    const act = createRequestMaker('default')('PATCH', '/state/{resource}/{key}', {
      path: { resource: 'opt_outs', key: '+447700900001 SMS' },
      body: { asset_id: null },
    })
    expect(act.target).toBe('/__admin/state/opt_outs/%2B447700900001%20SMS')
    const difference = createRequestMaker('default')('GET', '/snapshots/{snapshot}/diff/{other}', {
      path: { snapshot: '@7', other: 'now' },
    })
    expect(difference.target).toBe('/__admin/snapshots/@7/diff/now')
    expect(createRequestMaker('default')('GET', '/jobs', { query: { page_number: 2 } }).target).toBe(
      '/__admin/jobs?page_number=2',
    )
  })
})

describe('the rate of requests', () => {
  test('is what came since the last look, and nothing before the second', () => {
    expect(computeRate(undefined, { requests: 5, at: 1_000 })).toBe(0)
    expect(computeRate({ requests: 5, at: 1_000 }, { requests: 25, at: 3_000 })).toBe(10)
    expect(computeRate({ requests: 50, at: 1_000 }, { requests: 3, at: 2_000 })).toBe(0)
  })
})

describe('a duration of the operator’s side', () => {
  test('is read in seconds', () => {
    for (const [text, seconds] of [
      ['500ms', 0.5],
      ['5s', 5],
      ['15m', 900],
      ['2h', 7200],
      ['1d', 86_400],
    ] as const)
      expect(parseSeconds(text)).toBe(seconds)
    expect(parseSeconds('412us')).toBeCloseTo(0.000_412)
    expect(parseSeconds('5')).toBeNaN()
  })
})
