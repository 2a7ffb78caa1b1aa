import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'

/** The scripts and the style sheet of the pages, by names such as `now-4KCSPBZV.js`, which contain a hash of the text. */
export type Bundle = ReadonlyMap<string, string>

/** Where an image has its bundle. */
export const builtFolder = new URL('../../dist/', import.meta.url)

/** Returns the bundle of the image. In a source tree it is made now, in memory. */
export async function readBundle(folder = builtFolder): Promise<Bundle> {
  if (!existsSync(folder)) {
    // loaded late: an image has no esbuild
    const { buildBundle } = await import('./build-bundle.ts')
    return buildBundle()
  }
  const names = await readdir(folder)
  const texts = names.map((name) => readFile(new URL(name, folder), 'utf8'))
  return new Map((await Promise.all(texts)).map((text, index) => [names[index]!, text]))
}
