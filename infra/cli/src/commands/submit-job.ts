import { readFile, stat } from 'node:fs/promises'
import type { UploadFileResponse } from '@despatch/contracts/print-request/upload-file-response'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { wrongUsage } from '../failure.ts'
import { parseRecipient, type Recipient } from '../jobs/parse-recipient.ts'
import { showUpload, uploadFile } from '../jobs/upload-file.ts'
import type { ConsumerSession } from '../session.ts'
import type { JobCommands } from './jobs.ts'
import { parseDay } from './option.ts'

type SubmitOptions = {
  to: string
  type: string
  template: string
  id?: string
  businessIdentifier?: string
  notBefore?: string
  hold?: true
  method?: string
  asSupplied?: string
  quiet?: true
}

type Upload = { fileId: string; uploadId: string }
type CustomParam = { key: string; value: string }
type Content = { fileParams: Upload[] } | { customParams: CustomParam[] }

/** Adds the command by which a consumer has a PDF printed and posted. */
export function addSubmitJob(
  jobs: Command,
  { runAsConsumer, context }: Pick<JobCommands, 'runAsConsumer' | 'context'>,
): void {
  jobs
    .command('submit <file>')
    .description(
      'as a consumer: submits a PDF for printing and posting, and prints the id of the print job',
    )
    .requiredOption('--to <recipient>', '"Name, line 1, …, POSTCODE", with up to five lines')
    .requiredOption('--type <jobType>', 'as agreed in the contract')
    .requiredOption('--template <templateReference>', 'as agreed in the contract')
    .option('--id <id>', 'id of the print job; generated if omitted')
    .option('--business-identifier <text>', "the consumer's own reference for it")
    .option('--not-before <day>', 'do not print before this day, as YYYY-MM-DD', parseDay)
    .option('--hold', 'do not print until the hold is released')
    .option('--method <method>', 'despatch method, such as FIRST; default: second class')
    .option(
      '--as-supplied <key>',
      'for contracts that print the PDF as supplied: its key in the request',
    )
    .option('--quiet', 'do not show progress')
    .action((path: string, options: SubmitOptions) => {
      const recipient = parseRecipient(options.to)
      return runAsConsumer(async (session) => {
        const created = await submitLetter(session, { path, options, recipient, context })
        return { document: created, text: created.id }
      })
    })
}

/** Submits a PDF for printing and posting. Throws a Failure if the file cannot be read or the request is refused. */
export async function submitLetter(
  session: ConsumerSession,
  { recipient, ...letter }: Omit<Provided, 'bytes'> & { recipient: Recipient },
): Promise<{ id: string }> {
  const bytes = await sizeOf(letter.path)
  const content = await provide(session, { ...letter, bytes })
  return session.send('POST', '/print/jobs', requestOf(letter.options, recipient, content))
}

type Provided = {
  path: string
  bytes: number
  options: SubmitOptions
  context: CommandContext
}

/** Returns the PDF inside the request if the contract requires it there, otherwise as an upload. */
async function provide(
  { send }: ConsumerSession,
  { path, bytes, options: { asSupplied, quiet }, context: { canDraw } }: Provided,
): Promise<Content> {
  if (asSupplied !== undefined) {
    const value = await readFile(path, 'base64')
    return { customParams: [{ key: asSupplied, value }] }
  }
  const { uploadId, url } = await send<UploadFileResponse>('GET', '/print/files/upload-url')
  const progress = await showUpload(bytes, { canDraw, isQuiet: quiet === true })
  try {
    await uploadFile(url, { path, bytes, onSent: progress.show })
  } finally {
    progress.end()
  }
  return { fileParams: [{ fileId: 'letter', uploadId }] }
}

/** Returns the request as the API takes it. */
export function requestOf(options: SubmitOptions, recipient: Recipient, content: Content) {
  const { type, template, id, businessIdentifier, method, notBefore, hold } = options
  const sendControl = {
    ...(notBefore !== undefined && { notBefore }),
    ...(hold && { hold }),
  }
  return {
    ...(id !== undefined && { id }),
    standardParams: {
      jobType: type,
      templateReference: template,
      ...(businessIdentifier !== undefined && { businessIdentifier }),
      ...recipient,
      ...(method !== undefined && { despatchMethod: method }),
    },
    ...content,
    ...(Object.keys(sendControl).length > 0 && { sendControl }),
  }
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw wrongUsage(`${path} cannot be read (${error.code})`)
  })
  if (!found.isFile() || found.size === 0) throw wrongUsage(`${path} is not a file, or is empty`)
  return found.size
}
