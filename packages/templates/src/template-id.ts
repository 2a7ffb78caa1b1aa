import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { TemplateFile } from './read-template.ts'

const require = createRequire(import.meta.url)

/**
 * Returns the SHA-256, in hex, of everything that decides how a letter of a template looks: its files, the functions and
 * the page of the product, the compiler and the typefaces.
 */
export function templateId(files: readonly TemplateFile[]): string {
  const hash = createHash('sha256').update(ofProduct())
  const byPath = [...files].sort((one, other) => (one.path < other.path ? -1 : 1))
  for (const { path, bytes } of byPath) hash.update(`${path}\0${bytes.length}\0`).update(bytes)
  return hash.digest('hex')
}

let product: string | undefined

function ofProduct(): string {
  if (product !== undefined) return product
  const folder = new URL('../typst/', import.meta.url)
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).sort()) hash.update(readFileSync(new URL(name, folder)))
  const versions = ['@myriaddreamin/typst-ts-node-compiler', '@expo-google-fonts/noto-sans'].map(
    (name) => `${name}@${require(`${name}/package.json`).version}`,
  )
  product = `${versions.join(' ')} ${hash.digest('hex')}\0`
  return product
}
