import type { PrintJobRequest } from '@despatch/contracts/print-request/print-job-request'
import { fileValueText } from '@despatch/contracts/print-request/print-job-response'
import { kindNames } from '@despatch/documents/file-findings'
import {
  type InlineFile,
  type InlineValue,
  readInlineValue,
  startDecodingTurns,
} from '@despatch/documents/inline-file'
import { refusesAt } from '@despatch/domain/contract/refusal-term'
import { longBase64Characters } from '@despatch/domain/print-job/long-base64'
import type { CustomParam } from '@despatch/domain/print-job/params'
import { type Found, refuseOrReport } from '@despatch/domain/print-job/remark'
import type { FieldFault } from '@despatch/domain/problem'
import type { Contract } from '@despatch/store/access/contracts'
import type { SubmittedFile } from '@despatch/store/print-job/submissions'

type Taken = {
  /** As they are stored: the value of a file is replaced. */
  customParams: readonly CustomParam[] | null
  files: SubmittedFile[]
  contents: InlineFile[]
  /**
   * What the content of the request is compared by. Only canonical base64 counts as a file, as in releases that took
   * everything else as text, so that a submission to them can be repeated.
   */
  compared: { customParams: readonly CustomParam[] | null; files: SubmittedFile[] }
}

/**
 * Takes the files out of the custom parameters. Spec: a value that is base64 content with one of the file signatures is
 * a file, and its key is the fileId. What only looks like a file is refused or reported, as the contract says.
 */
export async function takeInlineFiles(
  { customParams, fileParams = [] }: Pick<PrintJobRequest, 'customParams' | 'fileParams'>,
  context: { contract: Contract | undefined; uploadBytesMax: number; now: Date },
  found: Found,
): Promise<Taken> {
  const taken = { customParams: [] as CustomParam[], files: [] as SubmittedFile[] }
  const compared = { customParams: [] as CustomParam[], files: [] as SubmittedFile[] }
  const contents: InlineFile[] = []
  const takeTurn = startDecodingTurns()
  const values: InlineValue[] = []
  for (const { value } of customParams ?? []) values.push(await readInlineValue(value, takeTurn))
  const hasOther = fileParams.length > 0 || values.some(isPlainFile)
  for (const [index, param] of (customParams ?? []).entries()) {
    const read = values[index]!
    const file = takeFile(param, read, { ...context, hasOther, index }, found)
    taken.customParams.push(file ? { key: param.key, value: fileValueText } : param)
    const isSame = isPlainFile(read)
    compared.customParams.push(isSame ? { key: param.key, value: fileValueText } : param)
    if (!file || read.kind !== 'file') continue
    contents.push(read.file)
    taken.files.push(file)
    if (isSame) compared.files.push(file)
  }
  if (!customParams)
    return { ...taken, contents, customParams: null, compared: { ...compared, customParams: null } }
  return { ...taken, contents, compared }
}

function isPlainFile(read: InlineValue): boolean {
  return read.kind === 'file' && read.isCanonical
}

type Place = {
  contract: Contract | undefined
  uploadBytesMax: number
  now: Date
  index: number
  /** Whether the letter has an upload, or a file in plain base64. */
  hasOther: boolean
}

/** Returns the file in a custom parameter, or undefined if it stays text. */
function takeFile(
  { key }: CustomParam,
  read: InlineValue,
  { contract, uploadBytesMax, now, index, hasOther }: Place,
  found: Found,
): SubmittedFile | undefined {
  const field = `customParams[${index}].value`
  const named = `${field} (key ${shortened(key)})`
  const by = { term: contract?.unreadableFiles ?? 'report', now }
  const unreadable = (detail: string) =>
    refuseOrReport(found, { ...unreadableFile, field, detail: `${named} ${detail}` }, by)
  if (read.kind === 'text') return undefined
  if (read.kind === 'long-base64') {
    const detail = `${named} has ${longBase64Characters} characters of base64 or more, of no known kind of file. It counts as text and is not printed.`
    found.remarks.push({ rule: 'long-base64', code: 'LongBase64', field, detail })
    return undefined
  }
  if (read.kind === 'unreadable') {
    unreadable(read.says)
    return undefined
  }
  const { bytes, mediaType, sha256 } = read.file
  const faults: FieldFault[] = []
  if (bytes.length > uploadBytesMax) {
    const detail = `${field} is a file of ${bytes.length} bytes; at most ${uploadBytesMax} are allowed`
    faults.push({ field, code: 'Size', detail })
  }
  if ([...key].length > 255) {
    const keyField = `customParams[${index}].key`
    const detail = `${keyField} becomes a fileId: size must be between 1 and 255`
    faults.push({ field: keyField, code: 'Size', detail })
  }
  // Until it refuses such values, a contract goes on accepting them as the text that they were.
  if (!read.isCanonical && !refusesAt(by.term, now)) {
    if (hasOther || (contract && passesTextOn(contract, key))) {
      unreadable(`is a ${kindNames[mediaType]} file, but not plain base64.`)
      return undefined
    }
    if (faults.length > 0) {
      unreadable(`cannot be taken as a file: ${faults.map(({ detail }) => detail).join(', ')}.`)
      return undefined
    }
  }
  found.faults.push(...faults)
  return { fileId: key, source: 'custom-param', sha256, bytes: bytes.length, mediaType }
}

const unreadableFile = {
  rule: 'unreadable-file',
  code: 'UnreadableFile',
  consequence: 'It counts as text and is not printed.',
} as const

/** Returns whether the value of a key may be meant for a template, or be no part of what is printed as supplied. */
function passesTextOn({ production, suppliedFileKey, templateData }: Contract, key: string) {
  return production === 'as-supplied' ? key !== suppliedFileKey : templateData
}

const keyCharactersShown = 60

function shortened(key: string): string {
  const characters = [...key.slice(0, 4 * keyCharactersShown)]
  if (characters.length <= keyCharactersShown) return key
  return `${characters.slice(0, keyCharactersShown).join('')}…`
}
