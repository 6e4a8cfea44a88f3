// A key that is being entered. It lives in the form alone, and is forgotten with it.
import { call } from '../../../api/call'
import type { ConnectionAnswer, KeyStorage, KeyringStatus } from '../../../api/generated'

export interface NewKey {
  key: string
  keep: KeyStorage
  passphrase: string
  again: string
}

export function newKey(keyring: KeyringStatus): NewKey {
  return { key: '', keep: keyring.works ? 'keyring' : 'sealed', passphrase: '', again: '' }
}

export function keepKey({ key, keep, passphrase }: NewKey): Promise<ConnectionAnswer> {
  return call('connection_key_set', {
    key: key.trim(),
    keep,
    passphrase: keep === 'sealed' ? passphrase : null,
  })
}
