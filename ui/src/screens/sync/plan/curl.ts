// A request on the clipboard, as a line for a terminal; the key stays out of it.
import type { PlanBody } from '../../../api/generated'
import { m } from '../../../gen/words'
import { toast } from '../../../kit/over/toasts.svelte'
import { copyText } from '../../../lib/copy'

export function copyCurl({ curl }: PlanBody, whole: boolean): void {
  if (!copyText(curl)) return toast(m.kit_copy_refused(), { kind: 'fault' })
  toast(whole ? m.plan_curl_whole() : m.plan_curl_masked())
}
