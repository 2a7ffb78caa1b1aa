import type { ThreadTask } from '@despatch/composer/threads'
import { composeLetter } from '@despatch/documents/compose-letter'
import type { DocumentRequest } from '@despatch/documents/document-request'
import { inspectPdf } from '@despatch/documents/pdf-safety/inspect-pdf'
import { inspectPages } from '@despatch/documents/preflight/inspect-pages'
import { isRefused } from '@despatch/domain/preflight/finding'
import { ruleSets } from '@despatch/domain/preflight/rule-set'

/** What a thread does with a letter, instead of making its whole document. */
export type Part = 'compose' | 'compose-unmarked' | 'inspect-pdf' | 'inspect' | 'pdf-lib'

export type PartTask = { part: Part; request: DocumentRequest }

export type Made = { pages: number; pdf?: Uint8Array }

/** Does one part of the work of makeDocument. */
export default async function doInThread({ task }: ThreadTask<PartTask>): Promise<Made> {
  const { request, part } = task
  return part === 'compose' || part === 'compose-unmarked'
    ? compose(request, part === 'compose')
    : inspect(request, part === 'inspect')
}

async function compose(request: DocumentRequest, marks: boolean): Promise<Made> {
  if (request.production === 'as-supplied') throw new Error('Nothing is composed')
  const { files, ...letter } = request
  const composed = await composeLetter({ ...letter, pages: files, marks })
  if (composed.kind === 'refused') throw new Error(composed.reason)
  return composed
}

/** Inspects the files. Returns the number of their pages plus the address page. Throws if a file is refused. */
async function inspect({ files, ruleSet }: DocumentRequest, andPages: boolean): Promise<Made> {
  let pages = 1
  for (const { fileId, bytes } of files) {
    const { document, isRevised, findings, pages: found } = await inspectPdf(bytes)
    const ofPages = andPages
      ? await inspectPages(bytes, {
          ruleSet: ruleSets[ruleSet],
          part: 'file-page',
          marks: true,
          fileId,
          document,
          isRevised,
        })
      : []
    if (isRefused([...findings, ...ofPages])) throw new Error(`File ${fileId} is refused`)
    pages += found
  }
  return { pages }
}
