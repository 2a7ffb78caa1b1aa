import type { PreviewTemplateRequest } from '@despatch/contracts/administration/template'
import { askForFile, Refusal } from '../parts/api.ts'

/** The pages of a letter: their pictures, and addresses of these for `img`. */
export type Drawn = { bytes: readonly Uint8Array[]; addresses: readonly string[] }

/** More are not drawn: the command line and the PDF show them. */
export const pagesMax = 20

/** Draws the pages of a letter, one after another until there are no more. Throws a Refusal. */
export async function drawLetter(
  name: string,
  version: number,
  request: PreviewTemplateRequest,
): Promise<Drawn> {
  const path = `/templates/${encodeURIComponent(name)}/versions/${version}/preview`
  const pictures: Blob[] = []
  while (pictures.length < pagesMax) {
    const picture = await drawPage(path, { ...request, page: pictures.length + 1 })
    if (!picture) break
    pictures.push(picture)
  }
  const bytes = await Promise.all(
    pictures.map(async (picture) => new Uint8Array(await picture.arrayBuffer())),
  )
  return { bytes, addresses: pictures.map((picture) => URL.createObjectURL(picture)) }
}

async function drawPage(path: string, request: PreviewTemplateRequest): Promise<Blob | undefined> {
  try {
    return await askForFile(path, request)
  } catch (error) {
    const isAfterLast = error instanceof Refusal && error.status === 404 && (request.page ?? 1) > 1
    if (isAfterLast) return undefined
    throw error
  }
}

/** Reads pasted values. Throws a Refusal if they are no JSON object. */
export function readValues(json: string): Record<string, unknown> {
  try {
    const values: unknown = JSON.parse(json)
    if (typeof values === 'object' && values !== null && !Array.isArray(values)) {
      return values as Record<string, unknown>
    }
  } catch (error) {
    throw new Refusal(0, `The values are not JSON: ${(error as Error).message}`)
  }
  throw new Refusal(0, 'The values must be a JSON object, such as { "name": "Ms Ada Example" }')
}
