import { useStorageValue } from '@rspress/core/theme'
import { Children, isValidElement, useId } from 'react'

const steps = { ArrowLeft: -1, ArrowRight: 1 }

/**
 * The same request in several languages. A reader's choice holds for all pages. The tabs of the generator remember a
 * position, not a language, and cannot be used with a keyboard.
 */
export default function LanguageTabs({ languages, children }) {
  const names = languages.split('|')
  const blocks = Children.toArray(children).filter(isValidElement)
  const [chosen, choose] = useStorageValue('despatch.language', names[0])
  const shown = names.includes(chosen) ? chosen : names[0]
  const id = useId()

  function move(event) {
    const step = steps[event.key]
    if (step === undefined) return
    const next = (names.indexOf(shown) + step + names.length) % names.length
    choose(names[next])
    event.currentTarget.children[next].focus()
  }

  return (
    <div className="language-tabs">
      <div className="language-tabs-list" role="tablist" aria-label="Language" onKeyDown={move}>
        {names.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-controls={`${id}-${name}-code`}
            aria-selected={name === shown}
            tabIndex={name === shown ? 0 : -1}
            onClick={() => choose(name)}
          >
            {name}
          </button>
        ))}
      </div>
      {names.map((name, index) => (
        <div
          key={name}
          role="tabpanel"
          id={`${id}-${name}-code`}
          aria-labelledby={`${id}-${name}`}
          hidden={name !== shown}
        >
          {blocks[index]}
        </div>
      ))}
    </div>
  )
}
