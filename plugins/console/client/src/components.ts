/** The components of views. */
export { Button } from './components/button.tsx';
export { Code, Text } from './components/code.tsx';
export { ActionDialog, Dialog } from './components/dialog.tsx';
export { Download } from './components/download.tsx';
export { Facts } from './components/facts.tsx';
export { bound, boundTo, CheckField, ChecksField, FileField, SelectField, TextField } from './components/fields.tsx';
export { Fold } from './components/fold.tsx';
export { Field, Form } from './components/form.tsx';
export { Icon, type IconName } from './components/icon.tsx';
export { LoadedContent, LoadedPages, ReloadButton } from './components/loaded.tsx';
export { Badge, Empty, ErrorNote, Progress, Warnings } from './components/notes.tsx';
export { Table } from './components/table.tsx';
export { Tabs } from './components/tabs.tsx';
export { View } from './components/view.tsx';
export { VirtualRows } from './components/virtual-rows.tsx';
export { When } from './components/when.tsx';
