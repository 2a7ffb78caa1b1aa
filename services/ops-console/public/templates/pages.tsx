import { Chip } from '../parts/chips.tsx'
import { pagesMax } from './draw-letter.ts'

type Letter = { name: string; pages: readonly string[] }

/** The pages of a letter, in its size on the screen. */
export function PagesOfLetter({ name, pages }: Letter) {
  return (
    <>
      <ol class="pages large" aria-label="Pages">
        {pages.map((address, index) => (
          <li key={address}>
            <figure>
              <img class="sheet" src={address} alt={`Page ${index + 1} of the letter of ${name}`} />
              <figcaption>Page {index + 1}</figcaption>
            </figure>
          </li>
        ))}
      </ol>
      {remarkOf(pages.length)}
    </>
  )
}

type ComparisonProps = { before: Letter; after: Letter; differing: readonly number[] }

/** The pages of two letters side by side. Those that differ say so. */
export function Comparison({ before, after, differing }: ComparisonProps) {
  const count = Math.max(before.pages.length, after.pages.length)
  return (
    <>
      <ol class="pages beside" aria-label="Pages">
        {Array.from({ length: count }, (_, index) => (
          <li key={index}>
            <p>
              Page {index + 1}{' '}
              <Chip
                look={
                  differing.includes(index + 1)
                    ? ['alert', 'warn', 'Differs']
                    : ['despatched', 'ok', 'Same']
                }
              />
            </p>
            {[before, after].map(({ name, pages }) => (
              <figure>
                {pages[index] ? (
                  <img
                    class="sheet"
                    src={pages[index]}
                    alt={`Page ${index + 1} of the letter of ${name}`}
                  />
                ) : (
                  <p class="sheet awaited">No such page</p>
                )}
                <figcaption>{name}</figcaption>
              </figure>
            ))}
          </li>
        ))}
      </ol>
      {remarkOf(count)}
    </>
  )
}

function remarkOf(count: number) {
  return count < pagesMax ? null : <p class="meta">Only the first {pagesMax} pages are shown.</p>
}
