import 'satellites';

export const weather = () => {};
