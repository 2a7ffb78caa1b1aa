import { mkdir, rm, writeFile } from 'node:fs/promises'
import { buildBundle } from './build-bundle.ts'
import { builtFolder } from './bundle.ts'

// Run when an image is built. A folder that a source tree has would go out of date, so nothing else runs it.
await rm(builtFolder, { recursive: true, force: true })
await mkdir(builtFolder)
for (const [name, text] of await buildBundle()) await writeFile(new URL(name, builtFolder), text)
