/** How far a pointer may move during a click, in pixels. */
const slack = 8

/**
 * Lets a click act on the button where it began, although the page has grown meanwhile and has moved the button from
 * under the pointer. A reader who moves the pointer away first takes the click back, as usual.
 */
export function holdPresses(): void {
  let begun: PointerEvent | undefined
  document.addEventListener('pointerdown', (event) => {
    begun = event
    if (event.button === 0) buttonOf(event)?.setPointerCapture(event.pointerId)
  })
  document.addEventListener('pointermove', (event) => {
    if (!begun || Math.hypot(event.x - begun.x, event.y - begun.y) <= slack) return
    const button = buttonOf(begun)
    if (button?.hasPointerCapture(event.pointerId)) button.releasePointerCapture(event.pointerId)
  })
}

function buttonOf({ target }: PointerEvent): HTMLButtonElement | null {
  return target instanceof Element ? target.closest('button') : null
}
