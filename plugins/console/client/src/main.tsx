import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/components.css';
import './styles/layers.css';
import './styles/shell.css';
import './views/jobs/jobs.css';
import './views/playground/playground.css';
import './views/reference/reference.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { startRouter } from './state/router.ts';
import { startTheme } from './state/theme.ts';

startTheme();
startRouter();
const root = document.getElementById('app');
if (root) {
	root.replaceChildren();
	render(<App />, root);
}
