//! Words and wordings of ten languages, from which pages are made.

/// A language.
pub(super) struct Language {
    /// Its code (BCP 47).
    pub(super) code: &'static str,
    /// The most frequent words.
    pub(super) common: &'static str,
    /// Other words.
    pub(super) words: &'static str,
    /// What stands between words.
    pub(super) space: &'static str,
    pub(super) comma: &'static str,
    pub(super) stop: &'static str,
    /// What the boxes around the content say, in the order of [`Said`].
    pub(super) said: [&'static str; Said::ALL],
}

/// What a box says: the place of its wording in [`Language::said`].
#[derive(Clone, Copy)]
pub(super) enum Said {
    Home,
    About,
    Contact,
    Search,
    Menu,
    LogIn,
    Skip,
    Subscribe,
    Newsletter,
    Advertisement,
    Related,
    MostRead,
    Share,
    Tags,
    Comments,
    Reply,
    Next,
    Previous,
    Top,
    Cookies,
    Accept,
    Privacy,
    Rights,
    Paywall,
    Helpful,
    Yes,
    No,
    Edit,
    Writer,
    Keys,
    Contents,
    Note,
    Example,
    Parameters,
    Returns,
    SeeAlso,
}

impl Said {
    /// How many there are.
    pub(super) const ALL: usize = Said::SeeAlso as usize + 1;
}

impl Language {
    pub(super) fn say(&self, said: Said) -> &'static str {
        self.said[said as usize]
    }
}

/// All of them.
pub(super) const LANGUAGES: [Language; 10] = [
    Language {
        code: "en",
        common: "the of and to a in is that it was for on with as by at from this which be are not or but have had they their were has been will can more one when there",
        words: "river council market garden engine winter teacher station method value letter harbour research bridge summer report window forest signal village kitchen season museum doctor account memory travel painter history budget weather machine reader project company people water children island morning school music street country minister decision mountain evening measure result building number question problem support order change member report level light paper course",
        space: " ", comma: ",", stop: ".",
        said: ["Home", "About us", "Contact", "Search", "Menu", "Log in", "Skip to content", "Subscribe", "Get the best stories in your inbox every morning. You can leave the list at any time.", "Advertisement", "Related stories", "Most read", "Share this page", "Tags", "Comments", "Reply", "Next", "Previous", "Back to top", "We and our partners use cookies to show you a better site, to measure visits and to remember your settings. Read what we keep and for how long, and change it whenever you like.", "Accept all", "Privacy", "All rights reserved.", "This story is for subscribers. Start a free month to read on.", "Was this page helpful?", "Yes", "No", "Edit this page", "writes about the region and its people. Before that, worked for radio and for two weekly papers.", "Press the arrow keys to move, Enter to open, and Escape to close.", "On this page", "Note", "Example", "Parameters", "Returns", "See also"],
    },
    Language {
        code: "de",
        common: "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über so zum",
        words: "Fluss Rat Markt Garten Motor Winter Lehrer Bahnhof Verfahren Wert Brief Hafen Forschung Brücke Sommer Bericht Fenster Wald Signal Dorf Küche Saison Museum Arzt Konto Speicher Reise Maler Geschichte Haushalt Wetter Maschine Leser Projekt Firma Menschen Wasser Kinder Insel Morgen Schule Musik Straße Land Ministerin Entscheidung Berg Abend Messung Ergebnis Gebäude Zahl Frage Aufgabe Hilfe Ordnung Änderung Mitglied Stufe Licht Papier Kurs gemeinsam langsam öffentlich wichtig",
        space: " ", comma: ",", stop: ".",
        said: ["Startseite", "Über uns", "Kontakt", "Suche", "Menü", "Anmelden", "Zum Inhalt springen", "Abonnieren", "Die besten Beiträge jeden Morgen im Postfach. Sie können sich jederzeit abmelden.", "Anzeige", "Mehr zum Thema", "Meistgelesen", "Seite teilen", "Schlagwörter", "Kommentare", "Antworten", "Weiter", "Zurück", "Nach oben", "Wir und unsere Partner setzen Cookies ein, um die Seite zu verbessern, Besuche zu zählen und Einstellungen zu merken. Lesen Sie, was wir wie lange speichern, und ändern Sie es jederzeit.", "Alle annehmen", "Datenschutz", "Alle Rechte vorbehalten.", "Dieser Beitrag ist für Abonnenten. Lesen Sie einen Monat lang kostenlos weiter.", "War diese Seite hilfreich?", "Ja", "Nein", "Seite bearbeiten", "schreibt über die Region und ihre Menschen. Vorher Arbeit für das Radio und zwei Wochenblätter.", "Mit den Pfeiltasten bewegen, mit Eingabe öffnen, mit Escape schließen.", "Auf dieser Seite", "Hinweis", "Beispiel", "Parameter", "Rückgabe", "Siehe auch"],
    },
    Language {
        code: "fr",
        common: "le la de et les des en un une du dans est que pour qui par sur au pas plus ce avec il ne se sont son à aux mais ou leur elle été comme cette fait deux ont",
        words: "rivière conseil marché jardin moteur hiver maître gare méthode valeur lettre port recherche pont été rapport fenêtre forêt signal village cuisine saison musée médecin compte mémoire voyage peintre histoire budget temps machine lecteur projet société gens eau enfants île matin école musique rue pays ministre décision montagne soir mesure résultat bâtiment nombre question problème soutien ordre changement membre niveau lumière papier cours public ancien nouveau",
        space: " ", comma: ",", stop: ".",
        said: ["Accueil", "À propos", "Contact", "Recherche", "Menu", "Connexion", "Aller au contenu", "S’abonner", "Recevez chaque matin nos meilleurs articles. Vous pouvez quitter la liste à tout moment.", "Publicité", "À lire aussi", "Les plus lus", "Partager", "Mots-clés", "Commentaires", "Répondre", "Suivant", "Précédent", "Haut de page", "Nos partenaires et nous utilisons des cookies pour améliorer le site, compter les visites et retenir vos réglages. Lisez ce que nous gardons et changez-le quand vous voulez.", "Tout accepter", "Confidentialité", "Tous droits réservés.", "Cet article est réservé aux abonnés. Un mois gratuit pour lire la suite.", "Cette page vous a-t-elle aidé ?", "Oui", "Non", "Modifier cette page", "écrit sur la région et ses habitants, après la radio et deux hebdomadaires.", "Les flèches pour bouger, Entrée pour ouvrir, Échap pour fermer.", "Sur cette page", "Remarque", "Exemple", "Paramètres", "Retour", "Voir aussi"],
    },
    Language {
        code: "es",
        common: "de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si sin sobre este ya entre cuando todo esta ser",
        words: "río consejo mercado jardín motor invierno maestra estación método valor carta puerto investigación puente verano informe ventana bosque señal pueblo cocina temporada museo médico cuenta memoria viaje pintor historia presupuesto tiempo máquina lector proyecto empresa gente agua niños isla mañana escuela música calle país ministra decisión montaña tarde medida resultado edificio número pregunta problema apoyo orden cambio miembro nivel luz papel curso público antiguo nuevo",
        space: " ", comma: ",", stop: ".",
        said: ["Inicio", "Quiénes somos", "Contacto", "Buscar", "Menú", "Entrar", "Ir al contenido", "Suscríbete", "Recibe cada mañana las mejores historias. Puedes darte de baja cuando quieras.", "Publicidad", "Noticias relacionadas", "Lo más leído", "Compartir", "Etiquetas", "Comentarios", "Responder", "Siguiente", "Anterior", "Volver arriba", "Nosotros y nuestros socios usamos cookies para mejorar el sitio, medir visitas y recordar tus ajustes. Lee qué guardamos y cámbialo cuando quieras.", "Aceptar todo", "Privacidad", "Todos los derechos reservados.", "Este artículo es para suscriptores. Prueba un mes gratis para seguir leyendo.", "¿Te ha servido esta página?", "Sí", "No", "Editar esta página", "escribe sobre la región y su gente. Antes trabajó en la radio y en dos semanarios.", "Usa las flechas para moverte, Intro para abrir y Escape para cerrar.", "En esta página", "Nota", "Ejemplo", "Parámetros", "Devuelve", "Véase también"],
    },
    Language {
        code: "pt",
        common: "de a o que e do da em um para com não uma os no se na por mais as dos como mas ao ele das à seu sua ou quando muito nos já eu também só pelo pela até isso ela",
        words: "rio conselho mercado jardim motor inverno professora estação método valor carta porto pesquisa ponte verão relatório janela floresta sinal aldeia cozinha temporada museu médico conta memória viagem pintor história orçamento tempo máquina leitor projeto empresa gente água crianças ilha manhã escola música rua país ministra decisão montanha tarde medida resultado edifício número pergunta problema apoio ordem mudança membro nível luz papel curso público antigo novo",
        space: " ", comma: ",", stop: ".",
        said: ["Início", "Sobre nós", "Contato", "Busca", "Menu", "Entrar", "Ir para o conteúdo", "Assine", "Receba toda manhã as melhores histórias. Você pode sair da lista quando quiser.", "Publicidade", "Leia também", "Mais lidas", "Compartilhar", "Marcadores", "Comentários", "Responder", "Próximo", "Anterior", "Voltar ao topo", "Nós e nossos parceiros usamos cookies para melhorar o site, medir visitas e lembrar suas escolhas. Leia o que guardamos e mude quando quiser.", "Aceitar tudo", "Privacidade", "Todos os direitos reservados.", "Esta matéria é para assinantes. Experimente um mês grátis para continuar.", "Esta página ajudou?", "Sim", "Não", "Editar esta página", "escreve sobre a região e sua gente. Antes trabalhou no rádio e em dois semanários.", "Use as setas para mover, Enter para abrir e Esc para fechar.", "Nesta página", "Nota", "Exemplo", "Parâmetros", "Retorna", "Veja também"],
    },
    Language {
        code: "pl",
        common: "w i na z się nie do to że jest o jak po za od ale co przez jego tak dla tym już są ich który oraz może było tylko by być przy jako czy tego ze ma",
        words: "rzeka rada rynek ogród silnik zima nauczyciel stacja metoda wartość list port badanie most lato raport okno las sygnał wieś kuchnia sezon muzeum lekarz konto pamięć podróż malarz historia budżet pogoda maszyna czytelnik projekt firma ludzie woda dzieci wyspa ranek szkoła muzyka ulica kraj minister decyzja góra wieczór pomiar wynik budynek liczba pytanie problem wsparcie porządek zmiana członek poziom światło papier kurs publiczny dawny nowy",
        space: " ", comma: ",", stop: ".",
        said: ["Strona główna", "O nas", "Kontakt", "Szukaj", "Menu", "Zaloguj", "Przejdź do treści", "Subskrybuj", "Najlepsze teksty co rano w twojej skrzynce. Możesz zrezygnować w każdej chwili.", "Reklama", "Zobacz także", "Najczęściej czytane", "Udostępnij", "Tagi", "Komentarze", "Odpowiedz", "Następna", "Poprzednia", "Do góry", "My i nasi partnerzy używamy plików cookie, aby ulepszać stronę, liczyć wizyty i pamiętać ustawienia. Przeczytaj, co i jak długo przechowujemy, i zmień to, kiedy chcesz.", "Akceptuję", "Prywatność", "Wszelkie prawa zastrzeżone.", "Ten tekst jest dla prenumeratorów. Wypróbuj miesiąc za darmo, aby czytać dalej.", "Czy ta strona była pomocna?", "Tak", "Nie", "Edytuj stronę", "pisze o regionie i jego ludziach. Wcześniej praca w radiu i w dwóch tygodnikach.", "Strzałki przesuwają, Enter otwiera, Escape zamyka.", "Na tej stronie", "Uwaga", "Przykład", "Parametry", "Zwraca", "Zobacz też"],
    },
    Language {
        code: "ru",
        common: "и в не на с что по это как а из к его но за от то для у она так же бы был они о все при были до или если уже когда только еще может",
        words: "река совет рынок сад двигатель зима учитель станция метод значение письмо порт исследование мост лето доклад окно лес сигнал деревня кухня сезон музей врач счёт память поездка художник история бюджет погода машина читатель проект компания люди вода дети остров утро школа музыка улица страна министр решение гора вечер мера итог здание число вопрос задача поддержка порядок перемена участник уровень свет бумага курс общий старый новый",
        space: " ", comma: ",", stop: ".",
        said: ["Главная", "О нас", "Контакты", "Поиск", "Меню", "Войти", "К содержанию", "Подписаться", "Лучшие материалы каждое утро в вашей почте. Отписаться можно в любой момент.", "Реклама", "Читайте также", "Самое читаемое", "Поделиться", "Метки", "Комментарии", "Ответить", "Далее", "Назад", "Наверх", "Мы и наши партнёры используем файлы cookie, чтобы улучшать сайт, считать посещения и помнить ваши настройки. Прочтите, что мы храним, и измените это, когда захотите.", "Принять все", "Конфиденциальность", "Все права защищены.", "Этот материал для подписчиков. Читайте месяц бесплатно.", "Была ли страница полезна?", "Да", "Нет", "Править страницу", "пишет о крае и его жителях. Раньше работа на радио и в двух газетах.", "Стрелки двигают, Ввод открывает, Escape закрывает.", "На этой странице", "Примечание", "Пример", "Параметры", "Возвращает", "См. также"],
    },
    Language {
        code: "el",
        common: "και το να του η της με που την από για είναι στο των τα τον οι σε ο στην δεν θα τη τους μια ως αυτό στη αλλά έχει ήταν όπως πως κατά",
        words: "ποτάμι συμβούλιο αγορά κήπος κινητήρας χειμώνας δάσκαλος σταθμός μέθοδος τιμή γράμμα λιμάνι έρευνα γέφυρα καλοκαίρι έκθεση παράθυρο δάσος σήμα χωριό κουζίνα εποχή μουσείο γιατρός λογαριασμός μνήμη ταξίδι ζωγράφος ιστορία προϋπολογισμός καιρός μηχανή αναγνώστης έργο εταιρεία άνθρωποι νερό παιδιά νησί πρωί σχολείο μουσική δρόμος χώρα υπουργός απόφαση βουνό βράδυ μέτρο αποτέλεσμα κτίριο αριθμός ερώτηση πρόβλημα στήριξη τάξη αλλαγή μέλος επίπεδο φως χαρτί",
        space: " ", comma: ",", stop: ".",
        said: ["Αρχική", "Ποιοι είμαστε", "Επικοινωνία", "Αναζήτηση", "Μενού", "Σύνδεση", "Στο περιεχόμενο", "Εγγραφή", "Τα καλύτερα κείμενα κάθε πρωί στο ταχυδρομείο σας. Μπορείτε να φύγετε όποτε θέλετε.", "Διαφήμιση", "Διαβάστε επίσης", "Δημοφιλή", "Κοινοποίηση", "Ετικέτες", "Σχόλια", "Απάντηση", "Επόμενο", "Προηγούμενο", "Πάνω", "Εμείς και οι συνεργάτες μας χρησιμοποιούμε cookies για να βελτιώνουμε τη σελίδα, να μετράμε επισκέψεις και να θυμόμαστε τις ρυθμίσεις σας. Δείτε τι κρατάμε και αλλάξτε το όποτε θέλετε.", "Αποδοχή", "Απόρρητο", "Με επιφύλαξη παντός δικαιώματος.", "Το κείμενο είναι για συνδρομητές. Δοκιμάστε έναν μήνα δωρεάν.", "Βοήθησε η σελίδα;", "Ναι", "Όχι", "Επεξεργασία", "γράφει για τον τόπο και τους ανθρώπους του. Παλιότερα στο ραδιόφωνο και σε δύο εβδομαδιαίες.", "Βέλη για κίνηση, Enter για άνοιγμα, Escape για κλείσιμο.", "Σε αυτή τη σελίδα", "Σημείωση", "Παράδειγμα", "Παράμετροι", "Επιστρέφει", "Δείτε επίσης"],
    },
    Language {
        code: "zh",
        common: "的 是 在 了 和 有 我们 这 中 他 为 也 不 就 到 说 对 与 将 从 而 但 都 已 被 于 上 等 会 及",
        words: "河流 委员会 市场 花园 发动机 冬天 老师 车站 方法 数值 信件 港口 研究 桥梁 夏天 报告 窗户 森林 信号 村庄 厨房 季节 博物馆 医生 账户 记忆 旅行 画家 历史 预算 天气 机器 读者 项目 公司 人们 水 孩子 岛屿 早晨 学校 音乐 街道 国家 部长 决定 山 晚上 措施 结果 建筑 数字 问题 支持 顺序 变化 成员 水平 灯光 纸张 课程 公共 新的 旧的",
        space: "", comma: "，", stop: "。",
        said: ["首页", "关于我们", "联系我们", "搜索", "菜单", "登录", "跳到正文", "订阅", "每天早晨把最好的文章送到您的邮箱，您可以随时退订。", "广告", "相关文章", "热门阅读", "分享到", "标签", "评论", "回复", "下一篇", "上一篇", "返回顶部", "我们和合作伙伴使用 cookie 改进网站、统计访问并记住您的设置。请阅读我们保存的内容，您可以随时更改。", "全部接受", "隐私政策", "版权所有，未经许可不得转载。", "本文仅供订阅者阅读，免费试用一个月即可继续。", "本页对您有帮助吗？", "是", "否", "编辑本页", "长期报道本地的人和事，此前在电台和两家周报工作。", "方向键移动，回车打开，退出键关闭。", "本页内容", "注意", "示例", "参数", "返回值", "另请参阅"],
    },
    Language {
        code: "ar",
        common: "في من على أن إلى عن التي الذي ما هذا مع هذه كان بعد بين قد لا كما عند كل حتى ولم أو لكن منذ حيث هو هي ذلك وقد",
        words: "النهر المجلس السوق الحديقة المحرك الشتاء المعلم المحطة الطريقة القيمة الرسالة الميناء البحث الجسر الصيف التقرير النافذة الغابة الإشارة القرية المطبخ الموسم المتحف الطبيب الحساب الذاكرة السفر الرسام التاريخ الميزانية الطقس الآلة القارئ المشروع الشركة الناس الماء الأطفال الجزيرة الصباح المدرسة الموسيقى الشارع البلد الوزير القرار الجبل المساء القياس النتيجة المبنى العدد السؤال المشكلة الدعم الترتيب التغيير العضو المستوى الضوء الورق",
        space: " ", comma: "،", stop: ".",
        said: ["الرئيسية", "من نحن", "اتصل بنا", "بحث", "القائمة", "دخول", "انتقل إلى المحتوى", "اشترك", "أفضل المقالات كل صباح في بريدك. يمكنك إلغاء الاشتراك متى شئت.", "إعلان", "اقرأ أيضا", "الأكثر قراءة", "شارك", "وسوم", "تعليقات", "رد", "التالي", "السابق", "إلى الأعلى", "نستخدم نحن وشركاؤنا ملفات الارتباط لتحسين الموقع وقياس الزيارات وتذكر إعداداتك. اقرأ ما نحفظه وغيره متى شئت.", "قبول الكل", "الخصوصية", "جميع الحقوق محفوظة.", "هذا المقال للمشتركين. جرب شهرا مجانا لتكمل القراءة.", "هل أفادتك هذه الصفحة؟", "نعم", "لا", "تحرير الصفحة", "يكتب عن المنطقة وأهلها، وعمل قبل ذلك في الإذاعة وصحيفتين أسبوعيتين.", "الأسهم للحركة، وإدخال للفتح، وهروب للإغلاق.", "في هذه الصفحة", "ملاحظة", "مثال", "المعاملات", "القيمة المعادة", "انظر أيضا"],
    },
];
