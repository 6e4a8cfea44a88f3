// A key that the user is entering. It exists only in the form and is dropped with it.
import { call } from '../../../api/call'
import type { ConnectionAnswer, KeyStorage, KeyringStatus } from '../../../api/generated'

export interface NewKey {
  key: string
  keep: KeyStorage
  passphrase: string
  again: string
}

export function createNewKey(keyring: KeyringStatus): NewKey {
  return { key: '', keep: keyring.works ? 'keyring' : 'sealed', passphrase: '', again: '' }
}

export function saveKey({ key, keep, passphrase }: NewKey): Promise<ConnectionAnswer> {
  return call('connection_key_set', {
    key: key.trim(),
    keep,
    passphrase: keep === 'sealed' ? passphrase : null,
  })
}
