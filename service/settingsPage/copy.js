// Shows the copy buttons, which do nothing without script, and makes them work.
for (const button of document.querySelectorAll('[data-copy]')) {
	button.hidden = false;
	button.addEventListener('click', async () => {
		await navigator.clipboard.writeText(button.dataset.copy);
		button.textContent = 'Copied';
		setTimeout(() => (button.textContent = 'Copy'), 2000);
	});
}
