// What a form saves, and when the connection to an address is not encrypted.
import { describe, expect, it } from 'vitest'
import type { Connection } from '../../../api/generated'
import {
  toDraft,
  isLocalAddress,
  isUnencrypted,
  isSameDraft,
  toSaveRequest,
  findInvalidNumbers,
  findMissingFields,
  DEFAULT_DRAFT,
} from './draft'

const connection: Connection = {
  name: 'Service',
  is_copy: false,
  base_url: 'https://api.example',
  header: 'X-AUTH-KEY',
  key: { at: 'keyring', masked: '••••', is_unlocked: true },
  read_only: false,
  plain_http: false,
  calls_per_second: 9,
  together: null,
  paths: [
    { operation: 'lists.query', usual: '/contacts/v1/lists/query', path: '/contacts/v1/lists/query' },
    { operation: 'lists.create', usual: '/contacts/v1/lists/create', path: '/v9/lists' },
  ],
  capabilities: [],
}

describe('the form of a connection', () => {
  it('is the connection, until something is written', () => {
    const draft = toDraft(connection)
    expect(isSameDraft(draft, toDraft(connection))).toBe(true)
    expect(isSameDraft({ ...draft, name: 'Other' }, draft)).toBe(false)
    expect(isSameDraft({ ...draft, name: ' Service ' }, draft)).toBe(true)
  })

  it('keeps only the paths that are not the usual ones', () => {
    const draft = toDraft(connection)
    expect(toSaveRequest(draft).paths).toEqual([{ operation: 'lists.create', path: '/v9/lists' }])
    expect(toSaveRequest({ ...draft, paths: { 'lists.create': ' ' } }).paths).toEqual([])
  })

  it.each([
    ['http://localhost:4010', true],
    ['https://127.0.0.1', true],
    ['http://[::1]:80', true],
    ['http://192.168.1.20', true],
    ['http://172.20.0.5', true],
    ['http://172.40.0.5', false],
    ['http://printer.local', true],
    ['https://10.example', false],
    ['https://api.example', false],
    ['no address', false],
  ])('knows whether %s is a local address', (address, is) => expect(isLocalAddress(address)).toBe(is))

  it.each(['', '   ', 'nine', '-1', '1.5', '99999'])('refuses “%s” calls a second', (calls_per_second) =>
    expect(findInvalidNumbers({ ...DEFAULT_DRAFT, calls_per_second })).toEqual(['calls_per_second']),
  )

  it('lets the rate of all together be left out', () => {
    expect(findInvalidNumbers({ ...DEFAULT_DRAFT, together: '' })).toEqual([])
    expect(toSaveRequest({ ...DEFAULT_DRAFT, together: ' 20 ' }).together).toBe(20)
    expect(toSaveRequest(DEFAULT_DRAFT).together).toBeNull()
  })
})

it('a connection lacks every required field that is empty', () => {
  expect(findMissingFields({ ...DEFAULT_DRAFT, header: ' ' })).toEqual(['name', 'header', 'base_url'])
  expect(findMissingFields(toDraft(connection))).toEqual([])
})

describe('the way to an address', () => {
  it.each([
    'https://api.example',
    'http://localhost:4010',
    'http://roost.localhost',
    'http://127.0.0.1:4010/base',
    'http://127.8.9.1',
    'http://[::1]:4010',
    'api.example',
    'http://',
    '',
  ])('is encrypted or stays on this computer for “%s”', (address) =>
    expect(isUnencrypted(address)).toBe(false),
  )

  it.each([
    'http://api.example',
    ' http://10.0.0.7:4010 ',
    'http://127.0.0.1.example',
    'http://localhost.example',
    'HTTP://API.EXAMPLE/',
  ])('is unencrypted to “%s”', (address) => expect(isUnencrypted(address)).toBe(true))

  it('needs an agreement that is valid for that address alone', () => {
    const agreed = { ...DEFAULT_DRAFT, base_url: 'http://api.example', plain_http: true }
    expect(toSaveRequest(agreed).plain_http).toBe(true)
    expect(toSaveRequest({ ...agreed, base_url: 'https://api.example' }).plain_http).toBe(false)
  })
})
