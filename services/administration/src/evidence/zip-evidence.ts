import { createHash, hash } from 'node:crypto'
import { type Readable, Transform } from 'node:stream'
import {
  renderEvidenceFilesCsv,
  renderFindingsCsv,
  renderTimelineCsv,
} from '@despatch/contracts/administration/evidence-csv'
import type { ObjectStore } from '@despatch/object-store/object-store'
import { ZipFile } from 'yazl'
import type { EvidenceContents, EvidenceObject } from './evidence-files.ts'
import { type Export, renderReadme } from './evidence-readme.ts'
import type { Evidence } from './gather-evidence.ts'

const ownerReads = 0o100644

type ZippedEvidence = {
  stream: Readable
  /** Size of the whole ZIP, known before any object is read. */
  bytes: number
}

/**
 * Returns a ZIP with the evidence of a print job, always in the same order. Objects are read one after the other, as
 * the stream is read, and compared with their SHA-256. If one cannot be read, the stream fails: the bytes sent so far
 * are then not a valid ZIP, and fewer than announced.
 */
export function zipEvidence(
  objects: Pick<ObjectStore, 'getStream'>,
  evidence: Evidence,
  contents: EvidenceContents,
  by: Export,
): ZippedEvidence {
  const zip = new ZipFile()
  const stream = zip.outputStream as Readable
  const ended = new AbortController()
  stream.on('close', () => ended.abort())
  const fail = (error: unknown) => {
    stream.destroy(error instanceof Error ? error : new Error(String(error)))
  }
  zip.on('error', fail)

  const options = { compress: false, mtime: by.exportedAt, mode: ownerReads }
  const sums: string[] = []
  const addText = (entry: string, text: string) => {
    const content = Buffer.from(text)
    sums.push(sumLine(hash('sha256', content), entry))
    zip.addBuffer(content, entry, options)
  }
  const addObject = (object: EvidenceObject) => {
    const { entry, sha256, bytes, content: unstored } = object
    sums.push(sumLine(sha256, entry))
    if (unstored) {
      zip.addBuffer(unstored, entry, options)
      return
    }
    zip.addReadStreamLazy(entry, { ...options, size: bytes }, (give) => {
      openObject(objects, object, ended.signal).then((content) => {
        content.on('error', fail)
        give(null, content)
      }, fail)
    })
  }

  const { printJob, callbacks, printing } = evidence
  addText('README.txt', renderReadme(evidence, contents, by))
  addText('print-job.json', json(printJob))
  addText('timeline.csv', renderTimelineCsv(printJob.events))
  addText('timeline.json', json(printJob.events))
  addText('findings.csv', renderFindingsCsv(printJob.events))
  addText('callbacks.json', json(callbacks))
  addText('printing.json', json(printing))
  if (contents.document) addObject(contents.document)
  addText('files.csv', renderEvidenceFilesCsv(contents.files))
  for (const object of contents.fileObjects) addObject(object)
  zip.addBuffer(Buffer.from(sums.join('')), 'SHA256SUMS.txt', options)

  let bytes = 0
  const onSize = (size: number) => {
    bytes = size
  }
  // the types omit the argument of this callback; all lengths are known, so it is called at once
  zip.end({ forceZip64Format: false, comment: '' }, onSize as () => void)
  return { stream, bytes }
}

async function openObject(
  objects: Pick<ObjectStore, 'getStream'>,
  { key, sha256 }: EvidenceObject,
  signal: AbortSignal,
): Promise<Readable> {
  const object = await objects.getStream(key, { signal })
  if (!object) throw new Error('An object of a print job is missing')
  const sum = createHash('sha256')
  const checked = new Transform({
    transform(chunk, _encoding, done) {
      sum.update(chunk)
      done(null, chunk)
    },
    flush(done) {
      const isIt = sum.digest('hex') === sha256
      done(isIt ? null : new Error('An object of a print job differs from its SHA-256'))
    },
  })
  object.stream.on('error', (error) => checked.destroy(error))
  return object.stream.pipe(checked)
}

function sumLine(sha256: string, entry: string): string {
  return `${sha256}  ${entry}\n`
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
