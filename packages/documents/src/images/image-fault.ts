import type { Finding } from '@despatch/domain/preflight/finding'
import sharp from 'sharp'

/** An image that cannot be printed, as it was sent: the findings tell its sender why. */
export class ImageFault extends Error {
  readonly finding: Finding

  constructor(finding: Omit<Finding, 'severity'>, options?: ErrorOptions) {
    super(finding.detail, options)
    this.finding = { ...finding, severity: 'refusal' }
  }
}

/** An image whose content is not what its header promises. */
export function damagedImage(cause?: unknown): ImageFault {
  const detail = 'The image is damaged or of a kind that cannot be read.'
  return new ImageFault({ rule: 'image-damaged', detail }, { cause })
}

/** An image of more than the limit, from its header. */
export function imageTooLarge(
  detail: string,
  limit: { unit: 'pixels' | 'pages' | 'bytes'; measured: number; max: number },
): ImageFault {
  const { unit, measured, max } = limit
  return new ImageFault({
    rule: 'image-too-large',
    measured: { unit, value: measured },
    allowed: { unit, max },
    detail,
  })
}

/** What the fault of an image is called, or undefined where the work succeeds. Throws what is our fault. */
export async function findImageFault(work: () => Promise<void>): Promise<Finding | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof ImageFault) return error.finding
    if (isOurFault(error)) throw error
    return damagedImage().finding
  }
}

// not "Out of memory reading of", which is said of a tag that claims to be larger than any memory
const outOfMemory =
  /out of memory(?! reading of)|insufficient memory|cannot allocate|allocation failed/i
const noLoader = /unsupported image format|class ".*" not found|no known loader/i

/**
 * libvips tells of damage by a plain error with the decoder's words. Anything else is ours: mistakes in
 * code, what the system refuses (it has a code), memory, a decoder that was not built in.
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
