import { createHash } from 'node:crypto'
import type { PrintableAddress } from '@despatch/domain/address/address'
import { makePrintableAddress } from '@despatch/domain/address/printable-address'
import { documentKey, fileKey } from '@despatch/object-store/keys'
import type { StepFile, TakenStep } from '@despatch/store/steps'
import type { DocumentFile, DocumentRequest, DocumentResult } from '../compose-document.ts'
import type { Effects, Outcome, Stage } from '../stage.ts'

export type ValidateFacts = { printableAddress: PrintableAddress; document: DocumentResult }

/** Files are trusted as files: the letter is composed, since one that cannot be composed is not valid. */
export const validate: Stage<ValidateFacts> = {
  queue: 'validate',
  status: 'VALIDATING',
  gather,
  decide,
}

export function decide({ printableAddress, document }: ValidateFacts): Outcome {
  if (document.kind === 'refused') return { kind: 'reject', comment: document.reason }
  const { pdf, sha256, pages, sheets } = document
  return {
    kind: 'advance',
    transition: 'accept',
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
  { objects, composeDocument }: Effects,
  step: TakenStep,
  signal: AbortSignal,
): Promise<ValidateFacts> {
  const { recipientName, address } = step.standardParams
  const printableAddress = makePrintableAddress({ recipientName, address })
  const files: DocumentFile[] = []
  for (const file of step.files) files.push(await readPinned(objects, file))
  const request = planDocument(step, printableAddress, files)
  const document =
    'refusal' in request
      ? { kind: 'refused' as const, reason: request.refusal }
      : await composeDocument(request, signal)
  return { printableAddress, document }
}

/** Says how this print job's document is made under its contract. */
export function planDocument(
  step: Pick<
    TakenStep,
    | 'production'
    | 'suppliedFileKey'
    | 'printsHandlingInstruction'
    | 'plex'
    | 'pagesMax'
    | 'submittedAt'
    | 'standardParams'
  >,
  printableAddress: PrintableAddress,
  files: readonly DocumentFile[],
): DocumentRequest | { refusal: string } {
  const { production, plex, pagesMax, submittedAt: at, standardParams } = step
  if (production === 'letter') {
    const { handlingInstruction, templateReference: title } = standardParams
    return {
      production,
      plex,
      pagesMax,
      at,
      title,
      printableAddress,
      ...(step.printsHandlingInstruction && handlingInstruction && { handlingInstruction }),
      files,
    }
  }
  const [file, ...others] = files
  if (!file || file.fileId !== step.suppliedFileKey || others.length > 0) {
    return { refusal: `Exactly one file is printed, and it must be ${step.suppliedFileKey}` }
  }
  if (file.mediaType !== 'application/pdf') {
    return { refusal: `File ${file.fileId} must be a PDF file` }
  }
  return { production, plex, pagesMax, at, file }
}

async function readPinned(objects: Effects['objects'], file: StepFile): Promise<DocumentFile> {
  const { position, sha256, bytes: bytesExpected, fileId, mediaType } = file
  const object = await objects.get(fileKey(sha256!), { bytesMax: bytesExpected! })
  if (!object) throw new Error(`Pinned file ${position} is gone`)
  const hash = createHash('sha256').update(object.bytes).digest('hex')
  if (hash !== sha256) throw new Error(`Pinned file ${position} differs from its hash`)
  return { fileId, mediaType: mediaType!, bytes: object.bytes }
}
