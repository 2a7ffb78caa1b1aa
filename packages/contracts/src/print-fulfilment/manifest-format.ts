import { chooseMediaType } from '../media-type.ts'
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

/** The format that an Accept header wants the most. JSON without a header, and where none of ours is acceptable. */
export function chooseManifestFormat(accept?: string): ManifestFormat {
  const { json, ndjson, csv } = mediaTypes
  const wanted = chooseMediaType(accept, [json, ndjson, csv])
  return manifestFormats.find((format) => mediaTypes[format] === wanted)!
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
