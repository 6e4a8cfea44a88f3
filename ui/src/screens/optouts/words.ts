// The texts for channels, scopes and kinds of opt-outs.
import type { Channel, OptOutRecord, OptOutType, OptOutRecordScope } from '../../api/generated'
import { m } from '../../gen/words'

export { getChannelTitle, getOptOutKindTitle } from '../../parts/optout-badge/words'

export const KINDS: readonly OptOutType[] = ['keyword', 'web_opt_out', 'account_import', 'api_import']
export const CHANNELS: readonly Channel[] = ['SMS', 'WHATSAPP']

export function getScopeTitle({
  scope,
  scope_number,
}: {
  scope: OptOutRecordScope
  scope_number: string | null
}): string {
  if (scope === 'account') return m.optouts_scope_account()
  return scope_number === null
    ? m.optouts_scope_asset_gone()
    : m.optouts_scope_asset({ number: scope_number })
}

/** Returns a short text for a narrow column. */
export function getShortKind(kind: OptOutType): string {
  switch (kind) {
    case 'keyword':
      return m.optouts_way_keyword()
    case 'web_opt_out':
      return m.optouts_way_web_opt_out()
    case 'account_import':
      return m.optouts_way_account_import()
    case 'api_import':
      return m.optouts_way_api_import()
  }
}

/** Returns the number alone for the column of scopes, because its last digits distinguish it. */
export function getShortScope(record: { scope: OptOutRecordScope; scope_number: string | null }): string {
  return record.scope === 'account'
    ? m.optouts_scope_account()
    : (record.scope_number ?? getScopeTitle(record))
}

/** Returns the asset of a scope; null for the whole account. */
export function getScopeAsset(scope: OptOutRecordScope): string | null {
  return scope === 'account' ? null : scope.asset
}

/** Returns the key of a record, which is unique by number, channel and scope. */
export function toRecordKey({
  number,
  channel,
  scope,
}: Pick<OptOutRecord, 'number' | 'channel' | 'scope'>): string {
  return `${number}|${channel}|${getScopeAsset(scope) ?? ''}`
}
