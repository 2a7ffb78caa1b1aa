import { makeAddressBlock } from '@despatch/documents/address-block'
import { addresseeOf } from '@despatch/domain/address/addressee'
import { makePrintableAddress } from '@despatch/domain/address/printable-address'
import type { ProofSource } from '@despatch/store/print-job/proof'
import type { LetterTemplates } from './letter-templates.ts'
import { type WaitingCaller, type WorkLimits, withinLimit } from './within-limit.ts'

export type AccessibleLetter =
  | { kind: 'made'; pdf: Uint8Array }
  | { kind: 'being-checked' | 'purged' | 'not-from-template' | 'rejected' }

/**
 * Typesets a letter from a template for a screen: an accessible PDF (PDF/UA-1) whose address is text and which has no
 * marks. Equal letters give equal bytes. Throws a Problem if too many letters are being made, or if it takes too long.
 */
export async function makeAccessibleLetter(
  { templates, limits }: { templates: Pick<LetterTemplates, 'typeset'>; limits: WorkLimits },
  { source, by }: { source: ProofSource; by: WaitingCaller },
): Promise<AccessibleLetter> {
  const { status, template, isPurged } = source
  if (isPurged) return { kind: 'purged' }
  if (template === null) return { kind: 'not-from-template' }
  if (status === 'QUARANTINE' || status === 'VALIDATING') return { kind: 'being-checked' }
  if (status === 'REJECTED') return { kind: 'rejected' }
  const block = makeAddressBlock(makePrintableAddress(addresseeOf(source)), undefined)
  const address = block.kind === 'block' ? block.address.map(({ text }) => text) : []
  const { consumerId } = by
  const typeset = await withinLimit(limits, by, 'proof', (signal) =>
    templates.typeset({ ...source, template }, { consumerId, signal, address }),
  )
  if ('finding' in typeset) throw new Error('A letter that was accepted cannot be typeset')
  return { kind: 'made', pdf: typeset.pdf }
}
