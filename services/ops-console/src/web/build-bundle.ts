import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, stop } from 'esbuild'
import { pages } from '../pages/page.ts'
import type { Bundle } from './bundle.ts'

/**
 * Makes one script of each page, with all that it imports, and one style sheet of all pages. Throws if a source has an
 * error.
 */
export async function buildBundle(): Promise<Bundle> {
  const { outputFiles } = await build({
    absWorkingDir: fileURLToPath(new URL('../../public/', import.meta.url)),
    entryPoints: [...pages.map(({ script }) => `./pages/${script}`), './styles/styles.css'],
    outdir: '.',
    entryNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    charset: 'utf8',
    format: 'esm',
    target: 'es2024',
    // the whole configuration: an image has no tsconfig.json of the tree
    tsconfigRaw: { compilerOptions: { jsx: 'react-jsx', jsxImportSource: 'preact' } },
    write: false,
  }).finally(() => void stop())
  return new Map(outputFiles.map(({ path, text }) => [basename(path), text]))
}
