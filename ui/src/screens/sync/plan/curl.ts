// Copies a request as a curl line without the key.
import type { PlanBody } from '../../../api/generated'
import { m } from '../../../gen/words'
import { toast } from '../../../kit/over/toasts.svelte'
import { copyPending, copyText } from '../../../lib/copy'

export function copyCurl({ curl }: PlanBody, whole: boolean): void {
  reportCopied(copyText(curl), whole)
}

/** Copies a request that is still loading. */
export async function copyPendingCurl(body: Promise<PlanBody>, whole: boolean): Promise<void> {
  reportCopied(await copyPending(body.then(({ curl }) => curl)), whole)
}

function reportCopied(isCopied: boolean, whole: boolean): void {
  if (!isCopied) return toast(m.kit_copy_refused(), { kind: 'fault' })
  toast(whole ? m.plan_curl_whole() : m.plan_curl_masked())
}
