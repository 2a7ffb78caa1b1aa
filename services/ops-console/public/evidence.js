import { askForFile } from './api.js'
import { announce, element } from './dom.js'
import { attempt } from './frame.js'

/** The browser must have read the file within this time. */
const savedWithinMs = 60_000

/** Returns a button that saves everything that is stored about a print job as a ZIP. */
export function evidenceButton({ printJobKey }, path) {
  const name = `evidence-${printJobKey}.zip`
  const button = element(
    'button',
    {
      type: 'button',
      onclick: async () => {
        button.disabled = true
        announce('Collecting the evidence …')
        const isSaved = await attempt(async () =>
          save(await askForFile(`${path}/evidence.zip`), name),
        )
        button.disabled = false
        button.focus()
        if (isSaved) announce(`The evidence was saved as ${name}. Start with its README.txt.`)
      },
    },
    'Export evidence (ZIP)',
  )
  return element('p', {}, button)
}

function save(file, name) {
  const address = URL.createObjectURL(file)
  element('a', { href: address, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(address), savedWithinMs)
}
