import { hash } from 'node:crypto'

/** The kinds of files that a provider can put into its folder. The content of each is the body of an operation. */
export const droppedKinds = [
  'acknowledgement',
  'events',
  'reprints',
  'posting',
  'confirm',
  'returns',
  'close',
  'recall-answer',
  'heartbeat',
] as const
export type DroppedKind = (typeof droppedKinds)[number]

/** A file from a provider, named `<name>.<kind>.json`. */
export type DroppedFile = { name: string; kind: DroppedKind }

/** The object keys of a provider's files. Nothing outside of them is read or written on its behalf. */
export type FileDropKeys = ReturnType<typeof fileDropKeys>

const fileName = /^([A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*)\.([a-z-]+)\.json$/
const nameCharactersMax = 150

/** The keys of all providers begin with it. */
export const fileDropRoot = 'file-drop/'

export function fileDropKeys(providerId: string) {
  const root = `${fileDropRoot}${encodeURIComponent(providerId)}`
  return {
    in: `${root}/in/`,
    ack: (file: string) => `${root}/ack/${file}.json`,
    error: (file: string) => `${root}/error/${file}.json`,
    errorInput: (file: string) => `${root}/error/${file}.input.json`,
    documents: (batchNumber: string) => `${root}/out/${batchNumber}/documents/`,
    document: (batchNumber: string, documentId: string) =>
      `${root}/out/${batchNumber}/documents/${documentId}.pdf`,
    manifest: (batchNumber: string) => `${root}/out/${batchNumber}/manifest.json`,
    templateData: (batchNumber: string) => `${root}/out/${batchNumber}/template-data.ndjson`,
    ready: (batchNumber: string) => `${root}/out/${batchNumber}/ready.json`,
    voided: (batchNumber: string) => `${root}/out/${batchNumber}/voided.json`,
    reprints: (batchNumber: string) => `${root}/out/${batchNumber}/reprints/`,
    reprint: (
      batchNumber: string,
      { documentId, attempt }: { documentId: string; attempt: number },
    ) => `${root}/out/${batchNumber}/reprints/${documentId}-${attempt}.json`,
    recalls: `${root}/out/recalls/`,
    recall: (recallId: string) => `${root}/out/recalls/${recallId}.json`,
  }
}

const personalKey =
  /^file-drop\/([a-z0-9-]+)\/out\/(R\d+)\/(?:documents\/D\d+\.pdf|template-data\.ndjson)$/

/** Returns the print run whose document or template data has this key. Undefined for the key of another file. */
export function parsePersonalKey(
  key: string,
): { providerId: string; batchNumber: string } | undefined {
  const [, providerId, batchNumber] = personalKey.exec(key) ?? []
  return providerId === undefined || batchNumber === undefined
    ? undefined
    : { providerId, batchNumber }
}

/** Returns undefined if the name is not valid for a file. */
export function parseFileName(text: string): DroppedFile | undefined {
  const [, name, kind] = fileName.exec(text) ?? []
  const known = droppedKinds.find((each) => each === kind)
  if (!name || !known || name.length > nameCharactersMax) return undefined
  return { name, kind: known }
}

/**
 * Returns the base name for the response to a file. An invalid name is not repeated, because it may contain anything.
 */
export function answerName(text: string): string {
  const file = parseFileName(text)
  if (file) return `${file.name}.${file.kind}`
  return `unknown-${hash('sha256', text).slice(0, 16)}`
}
