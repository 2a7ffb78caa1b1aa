import { open, readFile, stat } from 'node:fs/promises'
import type { PrintJobCreationResponse } from '@despatch/contracts/print-request/print-job-response'
import type { UploadFileResponse } from '@despatch/contracts/print-request/upload-file-response'
import type { ValidationResponse } from '@despatch/contracts/print-request/validation-response'
import { detectMediaType } from '@despatch/documents/file-signature'
import { startBytes, unprintableKind } from '@despatch/documents/unprintable-kind'
import { type Command, InvalidArgumentError } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { wrongUsage } from '../failure.ts'
import { parseRecipient, type Recipient } from '../jobs/parse-recipient.ts'
import { renderValidation } from '../jobs/render-validation.ts'
import { showUpload, uploadFile } from '../jobs/upload-file.ts'
import type { Parts } from '../program.ts'
import type { ConsumerSession } from '../session.ts'
import { option, parseDay } from './option.ts'

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
  callback?: string
  param?: CustomParam[]
  dryRun?: true
  quiet?: true
}

type Upload = { fileId: string; uploadId: string }
export type CustomParam = { key: string; value: string }
type Content = { fileParams?: Upload[]; customParams?: CustomParam[] }
/** What a consumer's command says of each of its letters. */
export type LetterOptions = Pick<
  SubmitOptions,
  'type' | 'template' | 'method' | 'notBefore' | 'hold' | 'callback'
>

/** Adds the command by which a consumer has a letter printed and posted. */
export function addSubmitJob(jobs: Command, { runAsConsumer, context }: Parts): void {
  const command = jobs
    .command('submit [file]')
    .description(
      'as a consumer: submits a letter for printing and posting, and prints the id of the print job',
    )
    .requiredOption('--to <recipient>', '"Name, line 1, …, POSTCODE", with up to five lines')
    .option('--id <id>', 'id of the print job; generated if omitted')
    .option('--business-identifier <text>', "the consumer's own reference for it")
    .addOption(
      option(
        '--param <name=value>',
        'a custom parameter, such as a field (repeatable)',
        parseParam,
      ),
    )
    .option(
      '--as-supplied <key>',
      'for contracts that print the PDF as supplied: its key in the request',
    )
    .option('--dry-run', 'only report how it would be judged; exits with 1 if it would be rejected')
    .option('--quiet', 'do not show progress')
    .addHelpText('after', helpAboutDryRun)
  addLetterOptions(command).action((path: string | undefined, options: SubmitOptions) => {
    const recipient = parseRecipient(options.to)
    requireContent(path, options)
    return runAsConsumer(async (session) => {
      if (options.dryRun) {
        const request = await prepare(session, { path, options, recipient, context })
        const judged = await session.send<ValidationResponse>(
          'POST',
          '/print/jobs/validate',
          request,
        )
        const exitCode = judged.verdict === 'accepted' ? 0 : 1
        return { document: judged, text: renderValidation(judged), exitCode }
      }
      const created = await submitLetter(session, { path, options, recipient, context })
      return { document: created, text: created.id }
    })
  })
}

/** Adds the options that a letter has by itself as well as among others. */
export function addLetterOptions(command: Command): Command {
  return command
    .requiredOption('--type <jobType>', 'as agreed in the contract')
    .requiredOption('--template <templateReference>', 'as agreed in the contract')
    .option('--not-before <day>', 'do not print before this day, as YYYY-MM-DD', parseDay)
    .option('--hold', 'do not print until the hold is released')
    .option(
      '--method <method>',
      'despatch method, such as FIRST; default: second class, or by the country',
    )
    .option(
      '--callback <address>',
      'call this address when the letter has ended; retried for 24 hours',
    )
}

function parseParam(text: string, before: readonly CustomParam[] = []): CustomParam[] {
  const [, key = '', value = ''] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  if (key === '') throw new InvalidArgumentError('It must be name=value.')
  return [...before, { key, value }]
}

/** Throws a Failure unless something is to be printed: a file that was forgotten would leave an empty letter. */
function requireContent(
  path: string | undefined,
  { param, asSupplied }: Pick<SubmitOptions, 'param' | 'asSupplied'>,
): void {
  if (path !== undefined) return
  if (asSupplied !== undefined) throw wrongUsage('--as-supplied requires a file')
  if (!param) throw wrongUsage('give a file, or the fields of a template with --param')
}

const helpAboutDryRun = `
The letter is a file (PDF, or a picture), or is made by a template from the custom parameters. Without a file, --param is
required.

With --dry-run, the file is uploaded but nothing is submitted. The upload is removed later if no print job uses it. Whether
the id is taken is not checked.`

type Letter = Omit<Provided, 'bytes' | 'path'> & { path: string | undefined; recipient: Recipient }

/**
 * Submits a letter for printing and posting, and shows the warnings of the answer. Throws a Failure if the file cannot be
 * read or printed, before anything is sent, or if the request is refused.
 */
export async function submitLetter(
  session: ConsumerSession,
  letter: Letter,
): Promise<PrintJobCreationResponse> {
  const request = await prepare(session, letter)
  const created = await session.send<PrintJobCreationResponse>('POST', '/print/jobs', request)
  for (const { detail } of created.warnings ?? [])
    letter.context.note(`despatch: warning: ${detail}`)
  return created
}

/** Returns the request of a letter, whose file it uploads. Throws as `submitLetter` does. */
async function prepare(session: ConsumerSession, { recipient, ...letter }: Letter) {
  const { path, options } = letter
  const { param } = options
  if (path === undefined)
    return requestOf(options, recipient, { ...(param && { customParams: param }) })
  const bytes = await sizeOf(path)
  await requirePrintable({ path, options }, bytes)
  const content = await provide(session, { ...letter, path, bytes })
  const customParams = [...(content.customParams ?? []), ...(param ?? [])]
  return requestOf(options, recipient, {
    ...content,
    ...(customParams.length > 0 && { customParams }),
  })
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
export function requestOf(
  options: Omit<SubmitOptions, 'to'>,
  recipient: Partial<Omit<Recipient, 'address'>> & { address?: object },
  content: Content,
) {
  const { type, template, id, businessIdentifier, method, notBefore, hold, callback } = options
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
    ...(callback !== undefined && {
      callbackParams: { target: callback, retryParams: { enabled: true } },
    }),
  }
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw wrongUsage(
      error.code === 'ENOENT' ? `${path} does not exist` : `${path} cannot be read (${error.code})`,
    )
  })
  if (!found.isFile() || found.size === 0) throw wrongUsage(`${path} is not a file, or is empty`)
  return found.size
}

/** Throws a Failure unless the file begins as Despatch requires it: the service would refuse it later. */
async function requirePrintable(
  { path, options: { asSupplied } }: Pick<Provided, 'path' | 'options'>,
  bytes: number,
): Promise<void> {
  const file = await open(path)
  const { buffer, bytesRead } = await file
    .read(Buffer.alloc(startBytes), 0, startBytes, 0)
    .finally(() => file.close())
  const start = buffer.subarray(0, bytesRead)
  const mediaType = detectMediaType(start, bytes)
  if (asSupplied === undefined ? mediaType : mediaType === 'application/pdf') return
  const kinds = asSupplied === undefined ? 'PDF, GIF, PNG, JPEG, TIFF or BMP' : 'PDF'
  const kind = unprintableKind(start)
  throw wrongUsage(`${path} is not a ${kinds} file${kind === undefined ? '' : `: it is ${kind}`}`)
}
