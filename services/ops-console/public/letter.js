import { askForFile, Refusal } from './api.js'
import { element } from './dom.js'
import { evidenceButton } from './evidence.js'

/** Pages are fetched a little before they become visible. */
const aheadOfSight = '300px'

/** Object URLs of the pictures that are shown. */
const shown = new Set()

/** Returns the letter of a print job: its evidence and its pages as pictures, each fetched when it becomes visible. */
export function letterOf(printJob, path) {
  for (const address of shown) URL.revokeObjectURL(address)
  shown.clear()
  const { pages, events } = printJob
  const whyNone = reasonForNone(printJob)
  // Findings of the submission are about the request, not about a page.
  const judged = events.findLast((event) => event.findings && event.transition !== 'submit')
  const findings = judged?.findings ?? []
  const list = element('ol', { class: 'pages' })
  const notice = whyNone && element('p', {}, whyNone)
  const letter = { path: `${path}/proof`, pages, findings, list }
  if (!whyNone) addPages(letter)
  return element(
    'section',
    { class: 'card', 'aria-labelledby': 'letter' },
    element('h2', { id: 'letter' }, 'Letter'),
    notice,
    whyNone ? null : list,
    findingsInFiles(findings),
    evidenceButton(printJob, path),
    element(
      'p',
      { class: 'note' },
      'The audit log records who viewed a letter and who exported its evidence.',
    ),
  )
}

function reasonForNone({ status, purgedAt }) {
  if (purgedAt) return 'The letter was deleted because its retention period has ended.'
  if (status === 'QUARANTINE' || status === 'VALIDATING') {
    return 'The letter is not ready: its files are still being checked.'
  }
  return null
}

/** A rejected letter has no page count, so pages are added one after the other until there are no more. */
function addPages(letter) {
  const count = letter.pages ?? 1
  for (let number = 1; number <= count; number += 1) addPage(letter, number)
}

function addPage(letter, number) {
  const item = element('li', {}, element('p', { class: 'awaited' }, `Page ${number} …`))
  letter.list.append(item)
  const sight = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      sight.disconnect()
      void fetchPage(letter, number, item)
    },
    { rootMargin: aheadOfSight },
  )
  sight.observe(item)
}

async function fetchPage(letter, number, item) {
  try {
    const picture = await askForFile(`${letter.path}/${number}.png`)
    if (!item.isConnected) return
    const address = URL.createObjectURL(picture)
    shown.add(address)
    item.replaceChildren(pictureOf(letter, number, address))
    if (letter.pages === undefined) addPage(letter, number + 1)
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal
    if (refusal.status === 404 && number > 1) return item.remove()
    item.replaceChildren(
      element('p', {}, `Page ${number} cannot be shown. ${refusal.message}`),
      element(
        'button',
        { type: 'button', onclick: () => void fetchPage(letter, number, item) },
        `Try page ${number} again`,
      ),
    )
  }
}

function pictureOf({ pages, findings }, number, address) {
  const name = pages === undefined ? `Page ${number}` : `Page ${number} of ${pages}`
  const alt = `${name} of the letter`
  const found = findings.filter(({ fileId, page = 1 }) => fileId === undefined && page === number)
  return element(
    'figure',
    {},
    element(
      'button',
      { type: 'button', class: 'page', onclick: () => openInFull(address, alt) },
      element('img', { src: address, alt }),
      element('span', { class: 'unseen' }, ', open in full size'),
    ),
    element('figcaption', {}, name),
    found.length > 0 ? element('ul', {}, found.map(findingItem)) : null,
  )
}

/** A finding about a page of a file names the file. The picture shows where in the letter it is. */
function findingsInFiles(findings) {
  const found = findings.filter(({ fileId }) => fileId !== undefined)
  if (found.length === 0) return null
  return element(
    'div',
    {},
    element('h3', {}, 'Findings in the files'),
    element('ul', {}, found.map(findingItem)),
  )
}

function findingItem({ number, rule, detail }) {
  return element('li', {}, `${number ?? rule}: ${detail}`)
}

/** Shows a page in full size. Escape closes it, and focus returns to the previous element. */
function openInFull(address, alt) {
  const dialog = element(
    'dialog',
    { class: 'page', 'aria-label': alt, onclose: () => dialog.remove() },
    element('button', { type: 'button', onclick: () => dialog.close() }, 'Close'),
    element(
      'div',
      { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': `${alt}, scrolls` },
      element('img', { src: address, alt }),
    ),
  )
  document.body.append(dialog)
  dialog.showModal()
}
