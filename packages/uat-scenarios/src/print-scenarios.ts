import { refusalComment } from '@despatch/contracts/print-fulfilment/acknowledgement'
import { failureComment } from '@despatch/contracts/print-fulfilment/item-event'
import type { Finding } from '@despatch/domain/preflight/finding'
import type { RuleId } from '@despatch/domain/preflight/rules'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import {
  type ReturnReasonCode,
  returnReasonCodes,
  returnReasons,
} from '@despatch/domain/print-run/returned-letter'

/** A print job with this recipientName has this outcome, whatever its contract, address and files. */
export type PrintScenario = {
  recipientName: string
  title: string
  /** The final status of the print job, or the status that it stays in. */
  status: PrintJobStatus
  /** The comment on a rejected print job. */
  comment?: (job: CommentFacts) => string
  outcome: PrintOutcome
}

/** The values in findings and comments: the first file of the print job, and the limits. */
export type CommentFacts = { fileId: string; pagesMax: number; uploadBytesMax: number }

type PrintOutcome =
  /** Processed normally. */
  | { kind: 'ordinary' }
  /** Rejected in this status for this finding, which is also the scenario's comment. */
  | { kind: 'reject'; status: 'QUARANTINE' | 'VALIDATING'; finding: (job: CommentFacts) => Finding }
  /** Stays in this status until this many seconds after its submission, then is processed normally. */
  | { kind: 'stay'; status: 'QUARANTINE' | 'VALIDATING'; seconds: number }
  | { kind: 'provider'; provider: ProviderOutcome }

/** What the simulated print provider does with a document. */
export type ProviderOutcome =
  | { kind: 'print' }
  | { kind: 'refuse'; reasonCode: string; reason: string }
  /** Accepted and never handed to a carrier. */
  | { kind: 'hold' }
  /** The first attempt is spoiled; the reprint is despatched. */
  | { kind: 'spoil'; reasonCode: string; reason: string }
  /** Accepted and then not printed. */
  | { kind: 'fail'; reasonCode: string; reason: string }
  /** Despatched, and reported as returned. */
  | { kind: 'return'; reasonCode: ReturnReasonCode }

/** Seconds that a slow print job stays in the slow status. */
const slowSeconds = 60

/** Every predefined recipient, each once: `UAT`, what happens, and why or where. */
export const printScenarios: readonly PrintScenario[] = [
  {
    recipientName: 'UAT DESPATCH',
    title: 'Printed and despatched, as any other recipient',
    status: 'DESPATCHED',
    outcome: { kind: 'ordinary' },
  },
  rejected('QUARANTINE', 'EMPTY FILE', 'A file is empty', ({ fileId }) => ({
    rule: 'file-empty',
    fileId,
    detail: `File ${fileId} is empty`,
  })),
  rejected('QUARANTINE', 'UNSUPPORTED FILE', 'A file of no allowed kind', ({ fileId }) => ({
    rule: 'file-kind',
    fileId,
    detail: `File ${fileId} is not a PDF, GIF, PNG, JPEG, TIFF or BMP file`,
  })),
  rejected('QUARANTINE', 'LARGE FILE', 'A file over the limit', ({ fileId, uploadBytesMax }) => ({
    rule: 'file-too-large',
    fileId,
    measured: { unit: 'bytes', value: uploadBytesMax + 1 },
    allowed: { unit: 'bytes', max: uploadBytesMax },
    detail: `File ${fileId} has ${uploadBytesMax + 1} bytes; at most ${uploadBytesMax} are allowed`,
  })),
  rejected('QUARANTINE', 'MISSING FILE', 'A file that was never uploaded', ({ fileId }) => ({
    rule: 'file-missing',
    fileId,
    detail: `File ${fileId} was not uploaded in time`,
  })),
  unsound('INCOMPLETE PDF', 'A PDF that was cut short', 'pdf-damaged', 'The PDF is not complete.'),
  unsound(
    'DAMAGED PDF',
    'A PDF that cannot be read',
    'pdf-damaged',
    'The PDF is damaged and cannot be read.',
  ),
  unsound('ENCRYPTED PDF', 'A PDF with a password', 'pdf-encrypted', 'The PDF is encrypted.'),
  unsound('EMPTY PDF', 'A PDF without pages', 'pdf-no-pages', 'The PDF has no pages.'),
  unsound(
    'DAMAGED IMAGE',
    'An image that cannot be decoded',
    'image-damaged',
    'The image is damaged or of a kind that cannot be read.',
  ),
  rejected(
    'VALIDATING',
    'TOO MANY PAGES',
    'More pages than the contract allows',
    ({ pagesMax }) => ({
      rule: 'pages-max',
      measured: { unit: 'pages', value: pagesMax + 1 },
      allowed: { unit: 'pages', max: pagesMax },
      detail: `The document has ${pagesMax + 1} pages; at most ${pagesMax} are allowed`,
    }),
  ),
  rejected('VALIDATING', 'NOT A4', 'A page of a PDF is not A4 portrait', ({ fileId }) => ({
    rule: 'page-size',
    fileId,
    page: 1,
    measured: { unit: 'mm', value: [297, 210] },
    allowed: { unit: 'mm', min: [208, 295], max: [212, 299] },
    detail: `Page 1 of file ${fileId} is 297 × 210 mm as it is read; it must be A4 portrait, 210 × 297 mm, give or take 2 mm.`,
  })),
  rejected('VALIDATING', 'NOT A PDF', 'What is printed as supplied is not a PDF', ({ fileId }) => ({
    rule: 'supplied-file',
    fileId,
    detail: `File ${fileId} must be a PDF file`,
  })),
  rejected(
    'VALIDATING',
    'OTHER FILES',
    'Another number of files than the one that is printed as supplied',
    ({ fileId }) => ({
      rule: 'supplied-file',
      detail: `Exactly one file is printed, and it must be ${fileId}`,
    }),
  ),
  rejected('VALIDATING', 'UNPRINTABLE', 'A character that the typeface lacks', () => ({
    rule: 'address-character',
    measured: { unit: 'characters', value: 1 },
    allowed: { unit: 'characters', max: 0 },
    detail: 'Recipient line 1 has a character that cannot be printed, at position 4.',
  })),
  rejected('VALIDATING', 'ADDRESS', 'An address that names no place', () => ({
    rule: 'address-empty',
    detail: 'The address has no line with a letter or a digit.',
  })),
  unmade('refuse', 'DIGEST', 'The file does not match the manifest'),
  unmade('refuse', 'UNPRINTABLE', 'The document cannot be printed'),
  {
    recipientName: 'UAT HOLD PRODUCTION',
    title: 'Accepted by the print provider, never despatched',
    status: 'PRODUCTION',
    outcome: { kind: 'provider', provider: { kind: 'hold' } },
  },
  {
    recipientName: 'UAT SPOIL',
    title: 'Spoiled once by the print provider, printed again and despatched',
    status: 'DESPATCHED',
    outcome: {
      kind: 'provider',
      provider: { kind: 'spoil', reasonCode: 'SMUDGED', reason: 'The toner is smudged' },
    },
  },
  unmade('fail', 'JAM', 'The paper jams repeatedly'),
  ...returnReasonCodes.map(
    (reasonCode): PrintScenario => ({
      recipientName: `UAT RETURN ${reasonCode}`,
      title: `Despatched, and comes back: ${returnReasons[reasonCode]}`,
      status: 'DESPATCHED',
      outcome: { kind: 'provider', provider: { kind: 'return', reasonCode } },
    }),
  ),
  ...(['QUARANTINE', 'VALIDATING'] as const).map(
    (status): PrintScenario => ({
      recipientName: `UAT SLOW ${status}`,
      title: `In ${status} until ${slowSeconds} seconds after its submission, then as any other`,
      status: 'DESPATCHED',
      outcome: { kind: 'stay', status, seconds: slowSeconds },
    }),
  ),
]

/** Returns the scenario of a recipient. Only the exact names in the table match; any other is an ordinary recipient. */
export function printScenario(recipientName: string): PrintScenario | undefined {
  return byRecipient.get(recipientName)
}

/** The file that a finding names if the print job has no file. */
const exampleFileId = 'scan'

/** Returns in which status, and for which finding, a recipient's print job is rejected, if it is. */
export function predefinedRefusal(
  recipientName: string,
  { fileIds, ...limits }: Omit<CommentFacts, 'fileId'> & { fileIds: readonly string[] },
): { status: 'QUARANTINE' | 'VALIDATING'; finding: Finding } | undefined {
  const outcome = printScenario(recipientName)?.outcome
  if (outcome?.kind !== 'reject') return undefined
  const { status, finding } = outcome
  return { status, finding: finding({ ...limits, fileId: fileIds[0] ?? exampleFileId }) }
}

/** Returns what the simulated print provider does with a document for this recipient. */
export function providerOutcome(recipientName: string): ProviderOutcome {
  const outcome = printScenario(recipientName)?.outcome
  return outcome?.kind === 'provider' ? outcome.provider : { kind: 'print' }
}

const byRecipient = new Map(printScenarios.map((each) => [each.recipientName, each]))

function rejected(
  status: 'QUARANTINE' | 'VALIDATING',
  why: string,
  title: string,
  refusal: (job: CommentFacts) => Omit<Finding, 'severity'>,
): PrintScenario {
  const finding = (job: CommentFacts): Finding => ({ severity: 'refusal', ...refusal(job) })
  return {
    recipientName: `UAT REJECT ${why}`,
    title,
    status: 'REJECTED',
    comment: (job) => finding(job).detail,
    outcome: { kind: 'reject', status, finding },
  }
}

function unsound(why: string, title: string, rule: RuleId, reason: string): PrintScenario {
  return rejected('VALIDATING', why, title, ({ fileId }) => ({
    rule,
    fileId,
    detail: `File ${fileId}: ${reason}`,
  }))
}

/** Returns the scenario of a document that the print provider refuses, or accepts and then cannot print. */
function unmade(kind: 'refuse' | 'fail', reasonCode: string, reason: string): PrintScenario {
  const provider = { kind, reasonCode, reason }
  const isRefused = kind === 'refuse'
  const what = isRefused
    ? 'Refused by the print provider'
    : 'Accepted by the print provider, which then cannot print it'
  return {
    recipientName: `UAT ${kind.toUpperCase()} ${reasonCode}`,
    title: `${what}: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`,
    status: 'REJECTED',
    comment: () => (isRefused ? refusalComment(provider) : failureComment(provider)),
    outcome: { kind: 'provider', provider },
  }
}
