import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'

/** The scripts and the style sheet of the pages, by names such as `now-4KCSPBZV.js`, which contain a hash of the text. */
export type Bundle = ReadonlyMap<string, string>

/** Where an image has its bundle. */
export const builtFolder = new URL('../../dist/', import.meta.url)

let made: Promise<Bundle> | undefined

/**
 * Returns a function that returns the bundle. An image has it in a folder, which is read now. In a source tree it is
 * made in memory when it is first asked for, which takes half a second: most starts there serve no page.
 */
export async function openBundle(folder = builtFolder): Promise<() => Promise<Bundle>> {
  if (!existsSync(folder)) {
    return () => {
      made ??= makeBundle().catch((error) => {
        made = undefined
        throw error
      })
      return made
    }
  }
  const names = await readdir(folder)
  const texts = names.map((name) => readFile(new URL(name, folder), 'utf8'))
  const bundle = new Map((await Promise.all(texts)).map((text, index) => [names[index]!, text]))
  return async () => bundle
}

async function makeBundle(): Promise<Bundle> {
  // loaded late: an image has no esbuild
  const { buildBundle } = await import('./build-bundle.ts')
  return buildBundle()
}
