import { X509Certificate } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSecureContext, type SecureContext } from 'node:tls'

/** The TLS client certificates that consumers chose for their callbacks. */
export type ClientCertificates = {
  has(consumerId: string): boolean
  /** Reads the consumer's file. Throws if it is absent or is not a certificate with its private key. */
  read(consumerId: string): SecureContext
}

export const noClientCertificates: ClientCertificates = {
  has: () => false,
  read: () => {
    throw new Error('there are no client certificates')
  },
}

type ClientCertificatesOptions = {
  onError: (error: Error) => void
  /** How long the names of the files are used before they are read again. */
  listedMs?: number
}

const usualListedMs = 10_000
const fileName = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.pem$/

/**
 * Opens a directory with one file for each consumer that has a certificate: `<consumerId>.pem`, with the certificate,
 * those of its issuers, and its private key without a passphrase. Files with other endings are ignored. Throws if one
 * of the files cannot be used; the message names the file and has nothing of its content. Files that are added, renewed
 * or removed later need no restart; if the directory cannot be read any more, the known names stay.
 */
export function openClientCertificates(
  directory: string,
  { onError, listedMs = usualListedMs }: ClientCertificatesOptions,
): ClientCertificates {
  const read = (consumerId: string) => readCertificate(directory, `${consumerId}.pem`)
  let known = listConsumers(directory, (error) => {
    throw error
  })
  for (const consumerId of known) read(consumerId)
  let listedAt = performance.now()

  function refresh(): void {
    if (performance.now() - listedAt < listedMs) return
    listedAt = performance.now()
    try {
      known = listConsumers(directory, onError)
    } catch (error) {
      onError(error as Error)
    }
  }
  return {
    has: (consumerId) => {
      refresh()
      return known.has(consumerId)
    },
    read,
  }
}

function listConsumers(directory: string, onMisnamed: (error: Error) => void): Set<string> {
  const names = readdirSync(directory).filter((name) => name.endsWith('.pem'))
  return new Set(
    names.flatMap((name) => {
      const [, consumerId] = fileName.exec(name) ?? []
      if (consumerId) return [consumerId]
      onMisnamed(new Error(`client certificate ${name}: not named <consumerId>.pem`))
      return []
    }),
  )
}

function readCertificate(directory: string, name: string): SecureContext {
  try {
    const pem = readFileSync(join(directory, name))
    const context = createSecureContext({ cert: pem, key: pem })
    if (new X509Certificate(pem).validToDate < new Date()) {
      throw Object.assign(new Error('expired'), { code: 'CERT_HAS_EXPIRED' })
    }
    return context
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw Object.assign(new Error(`client certificate ${name}: ${code ?? 'unusable'}`), { code })
  }
}
