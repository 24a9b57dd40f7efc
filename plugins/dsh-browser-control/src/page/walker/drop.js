// Watches a drag of files over this document: whether the page takes them. Where it does not, Chrome would open the file instead of the page.

let dragOvers = []

const onDragOver = (event) => {
  dragOvers.push(event)
}

function watchDrop() {
  dragOvers = []
  window.addEventListener('dragover', onDragOver, { capture: true, passive: true })
}

/** Whether the page took the last drag event, and there was one; ends the watch. */
function dropIsTaken() {
  window.removeEventListener('dragover', onDragOver, { capture: true })
  const isTaken = dragOvers.at(-1)?.defaultPrevented === true
  dragOvers = []
  return isTaken
}
