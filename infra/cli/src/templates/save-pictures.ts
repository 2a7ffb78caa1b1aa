import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ComparedLetter } from './compare-versions.ts'

type Versions = { before: string; after: string }

/** Saves the pages of compared letters side by side, replacing earlier ones. Returns the path of the HTML page. */
export async function savePictures(
  folder: string,
  versions: Versions,
  letters: readonly ComparedLetter[],
): Promise<string> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  for (const letter of letters) {
    for (const side of ['before', 'after'] as const) {
      for (const [index, png] of letter[side].entries()) {
        await writeFile(join(folder, pictureName(letter, side, index + 1)), png)
      }
    }
  }
  const path = join(folder, 'index.html')
  await writeFile(path, renderComparison(versions, letters))
  return path
}

function pictureName(
  { sample, language }: ComparedLetter,
  side: 'before' | 'after',
  page: number,
): string {
  return `${sample}.${language}.${page}.${side}.png`
}

/** The names of versions, samples and languages have no characters that mean something in HTML. */
function renderComparison({ before, after }: Versions, letters: readonly ComparedLetter[]): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${before} to ${after}</title>
<style>
body { margin: 0 auto; padding: 1rem; max-width: 90rem; background: #e8e8e8; color: #1a1a1a; font: 1rem/1.5 system-ui, sans-serif }
.pages { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; margin-block: 1rem; padding: .5rem; border-inline-start: .5rem solid transparent }
.differs { border-color: #b34700 }
figure { margin: 0 }
img { display: block; width: 100%; background: #fff }
</style>
<h1>${before} to ${after}</h1>
${letters.map((letter) => renderLetter({ before, after }, letter)).join('\n')}
</html>`
}

function renderLetter(versions: Versions, letter: ComparedLetter): string {
  const { before, after, differing, sample, language } = letter
  const rows = Array.from({ length: Math.max(before.length, after.length) }, (_, index) => {
    const page = index + 1
    const isDiffering = differing.includes(page)
    const figures = (['before', 'after'] as const).map((side) => {
      const caption = `${versions[side]}, page ${page}${isDiffering ? ': differs' : ''}`
      const name = pictureName(letter, side, page)
      const picture = letter[side][index]
        ? `<img src="${name}" alt="${caption}" loading="lazy">`
        : '<p>No such page</p>'
      return `<figure><figcaption>${caption}</figcaption>${picture}</figure>`
    })
    return `<div class="pages${isDiffering ? ' differs' : ''}">${figures.join('')}</div>`
  })
  return `<h2>${sample}, ${language}</h2>${rows.join('\n')}`
}
