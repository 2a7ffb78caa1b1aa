// Builds the documents as a static site in dist/site. `--serve` then shows it at a local port. For tests, `--out` names
// another folder below dist, and `--unminified` saves the time of making scripts and styles small.
import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build, serve } from '@rspress/core'
import { root } from './navigation.ts'
import { siteConfiguration } from './site-configuration.ts'
import { stagePages } from './stage-pages.ts'

const { values } = parseArgs({
  options: {
    serve: { type: 'boolean' },
    unminified: { type: 'boolean', default: false },
    out: { type: 'string', default: 'dist/site' },
  },
})
if (!/^dist\/[\w-]+$/.test(values.out)) throw new Error('--out must name a folder in dist')
const out = join(root, values.out)
const work = `${out}-work`

await rm(work, { recursive: true, force: true })
await rm(out, { recursive: true, force: true })
const pages = join(work, 'pages')
await mkdir(pages, { recursive: true })
await stagePages(pages)
await cp(join(root, 'scripts/site/icon.svg'), join(pages, 'public/icon.svg'))
// The generator keeps files of its own in the working directory.
process.chdir(work)
process.env.NODE_ENV = 'production'
const config = await siteConfiguration(pages, out, { isMinified: !values.unminified })
await build({ docDirectory: pages, config })
if (values.serve) await serve({ config, host: '127.0.0.1', port: 4173 })
else {
  await rm(work, { recursive: true })
  console.log(`The site is in ${values.out}`)
}
