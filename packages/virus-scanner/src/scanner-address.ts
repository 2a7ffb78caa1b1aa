export type ScannerAddress = { host: string; port: number } | { path: string }

/** Format of CLAMAV_URL. */
export const scannerUrl =
  /^(tcp:\/\/[^/:\s]+:\d{1,5}|tcp:\/\/\[[0-9a-f:.]+\]:\d{1,5}|unix:\/\/\/\S+)$/i

/** Parses the address of clamd: `tcp://host:port` or `unix:///path/of/socket`. Throws for any other. */
export function parseScannerUrl(url: string): ScannerAddress {
  if (!scannerUrl.test(url)) {
    throw new Error('The address of the virus scanner must be tcp://host:port or unix:///path')
  }
  if (/^unix:/i.test(url)) return { path: url.slice('unix://'.length) }
  const colonAt = url.lastIndexOf(':')
  const host = url.slice('tcp://'.length, colonAt).replace(/^\[|\]$/g, '')
  return { host, port: Number(url.slice(colonAt + 1)) }
}
