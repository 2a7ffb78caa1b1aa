import type { NotPostableOnBehalf } from '@despatch/store/posting/not-postable-on-behalf'

/**
 * Says why the posting of a document cannot be recorded on behalf of the provider, and what an operator can do about
 * it.
 */
export function describeNotPostable(
  document: NotPostableOnBehalf,
  { providerId, lastHeardAt }: { providerId: string; lastHeardAt: Date | null },
): string {
  const { documentId, attempt, refusal, outcome, openRecallId, isReprintWaiting } = document
  switch (refusal) {
    case 'ended':
      return `Document ${documentId} is ${outcome}`
    case 'spoiled': {
      const remedy = isReprintWaiting ? 'decide on its reprint' : 'recall it, and settle the recall'
      return `Attempt ${attempt} at document ${documentId} is SPOILED: ${remedy}`
    }
    case 'asked-back':
      return `Document ${documentId} is being recalled. First settle recall ${openRecallId}, as too late for it`
    case 'provider-present':
      return (
        `Document ${documentId} must be posted by its provider: the last contact with ${providerId} was at ${lastHeardAt?.toISOString()}. ` +
        'If the provider cannot post it, recall the document, and settle the recall as too late for it'
      )
  }
}
