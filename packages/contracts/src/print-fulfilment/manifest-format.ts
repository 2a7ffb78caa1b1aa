import { chooseMediaType } from '../media-type.ts'
import type { StoredManifest } from './manifest.ts'

const manifestFormats = ['json', 'ndjson', 'csv'] as const
type ManifestFormat = (typeof manifestFormats)[number]

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
 * Returns the format that an Accept header prefers. Returns JSON without a header, or if none of our formats is
 * acceptable.
 */
export function chooseManifestFormat(accept?: string): ManifestFormat {
  const { json, ndjson, csv } = mediaTypes
  const wanted = chooseMediaType(accept, [json, ndjson, csv])
  return manifestFormats.find((format) => mediaTypes[format] === wanted)!
}

/**
 * Returns the ETag of a manifest in one format. Each format is a different sequence of bytes, so each has its own tag.
 */
export function manifestTag(digest: string, format: ManifestFormat): string {
  return format === 'json' ? `"${digest}"` : `"${digest}-${format}"`
}

/**
 * Returns the response headers that describe the manifest. They are the same for every format, because CSV cannot
 * contain totals.
 */
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
