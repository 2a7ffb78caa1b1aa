import type { StoredManifest } from './manifest.ts'

export const manifestFormats = ['json', 'ndjson', 'csv'] as const
export type ManifestFormat = (typeof manifestFormats)[number]

const mediaTypes = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
} as const satisfies Record<ManifestFormat, string>

const contentTypes = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
} as const satisfies Record<ManifestFormat, string>

/**
 * The format that is wanted the most, by an Accept header (RFC 9110): its weight decides, then how exactly it is named, then
 * the order of ours. JSON without a header, and where none of ours is acceptable.
 */
export function chooseManifestFormat(accept = '*/*'): ManifestFormat {
  const ranges = accept.split(',').map(parseRange)
  const wishes = manifestFormats.map((format) => ({
    format,
    ...wishFor(mediaTypes[format], ranges),
  }))
  const [first] = wishes
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight || other.exactness - one.exactness)
  return first?.format ?? 'json'
}

type MediaRange = { type: string; weight: number }

function parseRange(range: string): MediaRange {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return { type, weight: weight === undefined ? 1 : Number(weight) || 0 }
}

/** The range that names the type most exactly has the say. */
function wishFor(mediaType: string, ranges: readonly MediaRange[]) {
  const names = ['*/*', `${mediaType.split('/')[0]}/*`, mediaType]
  const [wish] = ranges
    .map(({ type, weight }) => ({ weight, exactness: names.indexOf(type) }))
    .filter(({ exactness }) => exactness >= 0)
    .sort((one, other) => other.exactness - one.exactness)
  return wish ?? { weight: 0, exactness: -1 }
}

/** The tag of one format of a manifest: each is a sequence of bytes of its own. */
export function manifestTag(digest: string, format: ManifestFormat): string {
  return format === 'json' ? `"${digest}"` : `"${digest}-${format}"`
}

/** What an answer with the manifest says of it, whatever its format: CSV has no room for totals. */
export function manifestHeaders(manifest: StoredManifest, format: ManifestFormat) {
  return {
    'content-type': contentTypes[format],
    'despatch-manifest-digest': manifest.manifestDigest,
    'despatch-manifest-version': String(manifest.manifestVersion),
    'despatch-document-count': String(manifest.documentCount),
    'despatch-sheet-count': String(manifest.sheetCount),
    'despatch-page-count': String(manifest.pageCount),
    'despatch-byte-count': String(manifest.byteCount),
  }
}
