import type { Finding } from '@despatch/domain/preflight/finding'
import sharp from 'sharp'
import { imageDecodeSecondsMax } from './image-limits.ts'

/** An image that cannot be printed as submitted. The finding tells its sender why. */
export class ImageFault extends Error {
  readonly finding: Finding

  constructor(finding: Omit<Finding, 'severity'>, options?: ErrorOptions) {
    super(finding.detail, options)
    this.finding = { ...finding, severity: 'refusal' }
  }
}

/** Returns the error for an image whose content does not match its header. */
export function damagedImage(cause?: unknown): ImageFault {
  const detail = 'The image is damaged or of a kind that cannot be read.'
  return new ImageFault({ rule: 'image-damaged', detail }, { cause })
}

/** Returns the error for an intact image of a kind that is not printed. `kind`: with its article, as a noun. */
export function unprintableImage(kind: string): ImageFault {
  const detail = `The image is ${kind}, which is not printed; save it as an ordinary PNG, JPEG or TIFF.`
  return new ImageFault({ rule: 'image-damaged', detail })
}

/** Returns the error for an image whose header exceeds a limit. */
export function imageTooLarge(
  detail: string,
  limit: { unit: 'pixels' | 'pages' | 'bytes' | 'objects'; measured: number; max: number },
): ImageFault {
  const { unit, measured, max } = limit
  return new ImageFault({
    rule: 'image-too-large',
    measured: { unit, value: measured },
    allowed: { unit, max },
    detail,
  })
}

/**
 * Runs the work. Returns the finding if the image cannot be printed, undefined if the work succeeds. Throws errors that
 * the image did not cause.
 */
export async function findImageFault(work: () => Promise<void>): Promise<Finding | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof ImageFault) return error.finding
    if (isOutOfTime(error)) return tooSlow()
    if (isOurFault(error)) throw error
    return damagedImage().finding
  }
}

function isOutOfTime(error: unknown): boolean {
  return error instanceof Error && /^timeout: \d+% complete/m.test(error.message)
}

function tooSlow(): Finding {
  return {
    rule: 'file-time',
    severity: 'refusal',
    allowed: { unit: 's', max: imageDecodeSecondsMax },
    detail: `The image takes more than ${imageDecodeSecondsMax} seconds to decode.`,
  }
}

// Excludes "Out of memory reading of", which libvips reports for a tag that claims to be larger than any memory.
const outOfMemory =
  /out of memory(?! reading of)|insufficient memory|cannot allocate|allocation failed/i
const noLoader = /unsupported image format|class ".*" not found|no known loader/i

/**
 * libvips reports damage as a plain error with the decoder's message. Anything else is our fault: errors in code,
 * system errors (they have a code), memory, a missing decoder.
 */
function isOurFault(error: unknown): boolean {
  if (!(error instanceof Error) || error.constructor !== Error) return true
  if ('code' in error && error.code !== undefined) return true
  return outOfMemory.test(error.message) || (noLoader.test(error.message) && lacksDecoder())
}

function lacksDecoder(): boolean {
  const { jpeg, png, gif, tiff } = sharp.format
  return ![jpeg, png, gif, tiff].every((format) => format?.input.buffer)
}
