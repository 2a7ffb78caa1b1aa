import type { DocumentFile, MadeDocument } from '@despatch/documents/document-request'
import type { MediaType } from '@despatch/documents/file-signature'
import { planDocument } from '@despatch/documents/plan-document'
import type { PrintableAddress } from '@despatch/domain/address/address'
import { makePrintableAddress } from '@despatch/domain/address/printable-address'
import { documentKey } from '@despatch/object-store/keys'
import { readPinnedFile } from '@despatch/object-store/read-pinned-file'
import type { StepFile, TakenStep } from '@despatch/store/print-job/steps'
import { rejectFor } from '../reject-for.ts'
import type { Effects, Outcome, Stage } from '../stage.ts'

export type ValidateFacts = { printableAddress: PrintableAddress; made: MadeDocument }

/** Files are trusted as files: the letter is judged and composed, since one that cannot be composed is not valid. */
export const validate: Stage<ValidateFacts> = {
  queue: 'validate',
  status: 'VALIDATING',
  gather,
  decide,
}

export function decide({ printableAddress, made: { findings, document } }: ValidateFacts): Outcome {
  if (!document) return rejectFor(findings)
  const { pdf, sha256, pages, sheets } = document
  return {
    kind: 'advance',
    transition: 'accept',
    findings,
    puts: [{ key: documentKey(sha256), bytes: pdf, contentType: 'application/pdf' }],
    made: {
      printableAddress,
      documentSha256: sha256,
      documentBytes: pdf.length,
      documentPages: pages,
      documentSheets: sheets,
    },
  }
}

async function gather(
  { objects, makeDocument }: Effects,
  step: TakenStep,
  signal: AbortSignal,
): Promise<ValidateFacts> {
  const { recipientName, address } = step.standardParams
  const printableAddress = makePrintableAddress({ recipientName, address })
  const files: DocumentFile[] = []
  for (const file of step.files) files.push(await readPinned(objects, file))
  const made = await makeDocument(planDocument(step, printableAddress, files), signal)
  return { printableAddress, made }
}

async function readPinned(objects: Effects['objects'], file: StepFile): Promise<DocumentFile> {
  const { sha256, bytes, fileId, mediaType } = file
  const content = await readPinnedFile(objects, { sha256: sha256!, bytes: bytes! })
  return { fileId, mediaType: mediaType as MediaType, bytes: content }
}
