import type { ObjectKind } from './named-objects.ts'

type ObjectFacts = { kind: ObjectKind; status: string; isParked: boolean; printJobKey: string }

/** Returns what to do about a missing or altered object. Restoring its bytes from a copy of the bucket always helps. */
export function remedyOfObject({ kind, status, isParked, printJobKey }: ObjectFacts): string {
  const back = 'restore the object from a version or copy of the bucket'
  const resubmit = 'ask the consumer to submit it again with another id'
  const job = (action: string) => `npx despatch jobs ${action} ${printJobKey}`
  if (status === 'QUARANTINE' || status === 'VALIDATING') {
    const goOn = isParked ? `, then ${job('redrive')}` : '; its step is retried automatically'
    return `${back}${goOn}. Without a copy: ${job('hold')}, and ${resubmit}`
  }
  if (kind === 'file') {
    return status === 'PENDING' || status === 'PRODUCTION'
      ? `${back}. The letter is printed without it: only its proof and an address correction need it`
      : `${back}. Without a copy its evidence is incomplete; nothing else needs it`
  }
  if (status === 'PENDING') {
    return `${back}. Without a copy: ${job('cancel')}, and ${resubmit}`
  }
  if (status === 'PRODUCTION') {
    return `${back} before the provider fetches it. Without a copy: recall it from its print run, and ${resubmit}`
  }
  return `${back}. Without a copy it can be neither shown nor printed again; nothing else needs it`
}

/** Returns what to do about a missing upload. Quarantine waits for it until an hour after the submission. */
export function remedyOfUpload({
  isParked,
  printJobKey,
}: Pick<ObjectFacts, 'isParked' | 'printJobKey'>): string {
  const redrive = isParked ? `, then npx despatch jobs redrive ${printJobKey}` : ''
  return `restore the object from a version or copy of the bucket${redrive}. Without a copy the letter is rejected an hour after its submission: its consumer gets a callback, uploads again and submits with another id`
}
